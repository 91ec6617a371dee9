// Everything a client of A2A 1.0 does with an agent, one line of JSON for each thing it saw.
import { randomUUID } from 'node:crypto';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from 'a2a-1.0/client';

const say = (what, value) => console.log(JSON.stringify({ what, value }));
const states = ['UNSPECIFIED', 'SUBMITTED', 'WORKING', 'COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED'];
const message = (text, more = {}, configuration) => ({
  tenant: '', configuration, metadata: undefined,
  message: {
    messageId: randomUUID(), role: 1, contextId: '', taskId: '', extensions: [], referenceTaskIds: [], metadata: undefined,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }], ...more,
  },
});
const taskOf = (result) => result.payload?.value ?? result;
const text = (task) => task.artifacts.flatMap((artifact) => artifact.parts.map((part) => part.content.value)).join('');
const seen = (event) => event.payload.$case === 'artifactUpdate' ? 'artifact' : states[event.payload.value.status.state];

const transport = process.argv[3] === 'HTTP+JSON' ? new RestTransportFactory() : new JsonRpcTransportFactory();
const client = await new ClientFactory({ transports: [transport] }).createFromUrl(process.argv[2]);

const done = taskOf(await client.sendMessage(message('hi')));
say('sent', { state: states[done.status.state], text: text(done) });

const events = [];
for await (const event of client.sendMessageStream(message('hello'))) events.push(seen(event));
say('streamed', events);

const asked = taskOf(await client.sendMessage(message('question')));
say('asked', { state: states[asked.status.state], text: asked.status.message.parts[0].content.value });
const answered = taskOf(await client.sendMessage(message('that one', { taskId: asked.id, contextId: asked.contextId })));
say('answered', { state: states[answered.status.state], sameTask: answered.id === asked.id, history: answered.history.length });

const waiting = taskOf(await client.sendMessage(message('wait', {}, { acceptedOutputModes: [], returnImmediately: true })));
const followed = [];
const following = (async () => {
  for await (const event of client.resubscribeTask({ id: waiting.id, tenant: '' })) followed.push(seen(event));
})();
while (followed.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
const canceled = await client.cancelTask({ id: waiting.id, tenant: '', metadata: undefined });
await following;
say('canceled', { state: states[canceled.status.state], lastSeen: followed.at(-1) });

const kept = await client.getTask({ id: done.id, historyLength: 1, tenant: '' });
say('kept', { text: text(kept), history: kept.history.length });
const listed = await client.listTasks({ tenant: '', contextId: done.contextId, status: 0, pageToken: '', pageSize: 10 });
say('listed', { total: listed.totalSize, same: listed.tasks[0].id === done.id, artifacts: listed.tasks[0].artifacts.length });

for (const [what, call] of Object.entries({
  unknownTask: () => client.getTask({ id: 'nowhere', tenant: '' }),
  cancelAgain: () => client.cancelTask({ id: waiting.id, tenant: '', metadata: undefined }),
  followDone: async () => { for await (const event of client.resubscribeTask({ id: done.id, tenant: '' })) seen(event); },
})) {
  try {
    await call();
    say(what, 'no error');
  } catch (error) {
    say(what, error.name === 'Error' ? error.message : error.name);
  }
}
