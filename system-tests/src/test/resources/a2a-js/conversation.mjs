// What an official client does with an agent it knows by a URL alone, one line of JSON for each thing it saw.
//   node conversation.mjs <url> 0.3
//   node conversation.mjs <url> 1.0 JSONRPC|HTTP+JSON
import { randomUUID } from 'node:crypto';

const [url, version, binding] = process.argv.slice(2);
const say = (what, value) => console.log(JSON.stringify({ what, value }));
const sdk = await import(`a2a-${version}/client`);
const names = ['UNSPECIFIED', 'SUBMITTED', 'WORKING', 'COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED', 'REJECTED', 'AUTH_REQUIRED'];

const v03 = {
  client: () => new sdk.ClientFactory().createFromUrl(url),
  message: (text) => ({ message: { kind: 'message', role: 'user', messageId: randomUUID(), parts: [{ kind: 'text', text }] } }),
  task: (result) => result,
  state: (status) => status.state.toUpperCase().replace('-', '_'),
  text: (parts) => parts.map((part) => part.text).join(''),
  seen: (event) => event.kind === 'artifact-update' ? v03.text(event.artifact.parts) : v03.state(event.status),
  query: (id) => ({ id }),
};
const v10 = {
  client: () => {
    const transport = binding === 'HTTP+JSON' ? new sdk.RestTransportFactory() : new sdk.JsonRpcTransportFactory();
    return new sdk.ClientFactory({ transports: [transport] }).createFromUrl(url);
  },
  message: (text) => ({
    tenant: '', configuration: undefined, metadata: undefined,
    message: {
      messageId: randomUUID(), role: 1, contextId: '', taskId: '', extensions: [], referenceTaskIds: [], metadata: undefined,
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
    },
  }),
  task: (result) => result.payload?.value ?? result,
  state: (status) => names[status.state],
  text: (parts) => parts.map((part) => part.content.value).join(''),
  seen: (event) => event.payload.$case === 'artifactUpdate'
    ? v10.text(event.payload.value.artifact.parts) : v10.state(event.payload.value.status),
  query: (id) => ({ id, tenant: '' }),
};

/** Whether its library verifies the card by the key that the signature names; of 1.0 the card for both versions, too. */
async function signed() {
  const { verifyAgentCardSignature } = await import(`a2a-${version}`);
  if (!verifyAgentCardSignature) return;
  const verify = verifyAgentCardSignature(async (kid, jku) =>
    (await (await fetch(jku)).json()).keys.find((key) => key.kid === kid));
  const verified = async (card) => verify(card).then(() => true, () => false);
  const at = new URL('.well-known/agent-card.json', url);
  const resolved = await new sdk.DefaultAgentCardResolver().resolve(url, at.pathname);
  const forBoth = await (await fetch(at)).json();
  say('signed', [await verified(resolved), await verified(forBoth), await verified({ ...resolved, name: 'another' })]);
}
await signed();

const speaks = version === '1.0' ? v10 : v03;
const client = await speaks.client();

const done = speaks.task(await client.sendMessage(speaks.message('hi')));
say('sent', { state: speaks.state(done.status), text: speaks.text(done.artifacts[0].parts) });
const events = [];
for await (const event of client.sendMessageStream(speaks.message('hello'))) events.push(speaks.seen(event));
say('streamed', events);
const kept = await client.getTask({ ...speaks.query(done.id), historyLength: 0 });
say('kept', speaks.state(kept.status));
await client.cancelTask(speaks.query(done.id)).then(() => say('canceled', 'no error'), (error) => say('canceled', error.name));
if (version === '1.0') {
  let listed = [];
  for (let looks = 0; looks < 120 && !listed.includes(done.id); looks++) { // what was seen is written down a moment later
    if (looks > 0) await new Promise((later) => setTimeout(later, 500));
    const page = await client.listTasks({ tenant: '', contextId: done.contextId, status: 0, pageToken: '', statusTimestampAfter: undefined });
    listed = page.tasks.map((task) => task.id);
  }
  say('listed', listed);
}
await client.getTask(speaks.query('nowhere')).then(() => say('unknown', 'no error'), (error) => say('unknown', error.name));
