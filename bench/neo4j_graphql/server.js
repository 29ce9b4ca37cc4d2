// @neo4j/graphql on an Apollo server, as its documentation sets it up: `node server.js PORT`.
import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import { Neo4jGraphQL } from "@neo4j/graphql";
import neo4j from "neo4j-driver";

const typeDefs = /* GraphQL */ `
  type Thread @node {
    threadId: String!
    title: String
    model: String
    status: String
    createdAt: String
    depth: Int
    parent: [Thread!]! @relationship(type: "SPAWNED_BY", direction: OUT)
    children: [Thread!]! @relationship(type: "SPAWNED_BY", direction: IN)
    lineage: [Thread!]!
      @cypher(
        statement: """
        MATCH (this)<-[:FORKED_FROM|SPAWNED_BY|CHILD_OF*0..]-(thread:Thread)
        WITH DISTINCT thread ORDER BY thread.depth, thread.threadId
        RETURN thread
        """
        columnName: "thread"
      )
  }
`;

const { NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD, NEO4J_DATABASE } = process.env;
const driver = neo4j.driver(NEO4J_URI, neo4j.auth.basic(NEO4J_USER, NEO4J_PASSWORD));
const schema = await new Neo4jGraphQL({ typeDefs, driver }).getSchema();
const server = new ApolloServer({ schema });
await startStandaloneServer(server, {
  context: async () => ({ sessionConfig: { database: NEO4J_DATABASE } }),
  listen: { host: "127.0.0.1", port: Number(process.argv[2]) },
});
