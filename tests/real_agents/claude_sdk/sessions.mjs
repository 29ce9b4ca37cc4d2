// One call of the Agent SDK of Claude Code: its name and its arguments in, what it returns out.
import * as sdk from "@anthropic-ai/claude-agent-sdk";

const [method, text] = process.argv.slice(2);
const { sessionId, ...options } = JSON.parse(text);
console.log(JSON.stringify(await sdk[method](sessionId, options)));
