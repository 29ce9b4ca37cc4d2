// Asks the address that is its argument everything that GraphQL over HTTP demands, and prints
// for each demand what became of it.
import { auditServer } from "graphql-http";

const results = await auditServer({ url: process.argv[2] });
console.log(
  JSON.stringify(
    results.map((result) => ({
      demand: `${result.id} ${result.name}`,
      status: result.status,
      reason: result.reason ?? null,
    })),
  ),
);
