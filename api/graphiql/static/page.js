// The address of this page is also where the questions go.
"use strict";

async function begin() {
  const examples = await (await fetch("graphiql/examples.json")).json();
  const asked = new URLSearchParams(window.location.search);
  const tabs = examples.map(({ query, variables }) => ({
    query: query.join("\n"),
    variables: variables === undefined ? "" : JSON.stringify(variables, null, 2),
  }));
  const query = asked.get("query");
  const given = query === null ? {} : { query, variables: asked.get("variables") ?? "" };
  const fetcher = GraphiQL.createFetcher({ url: window.location.pathname });
  ReactDOM.createRoot(document.getElementById("graphiql")).render(
    React.createElement(GraphiQL, { fetcher, defaultTabs: tabs, ...given }),
  );
}

begin();
