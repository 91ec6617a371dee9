// What an official client does with an MCP server it knows by a URL and a token alone, one line of JSON for each thing it saw.
//   node conversation.mjs <url> <revision> <token> <a peer's id>
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, revision, token, peer] = process.argv.slice(2);
const say = (what, value) => console.log(JSON.stringify({ what, value }));
const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy';
const client = new Client({ name: 'conversation', version: '1' }, { versionNegotiation: { mode } });
const headers = { Authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

const told = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  return { failed: result.isError === true, text: result.content[0].text };
};
say('revision', client.getNegotiatedProtocolVersion());
say('tools', (await client.listTools()).tools.map((tool) => tool.name));
say('peers', (await told('list_peers', {})).text.includes(peer));
say('asked', await told('delegate_task', { workspace_id: peer, task: 'hi' }));
const handed = await told('delegate_task_async', { workspace_id: peer, task: 'hi' });
say('handed', { failed: handed.failed, status: JSON.parse(handed.text).status });
say('wrong', await told('delegate_task', {}));
await client.callTool({ name: 'make_tea', arguments: {} }).then(() => say('unknown', 'no error'), (error) => say('unknown', error.code));
await client.close();
