// Everything a client of the published protocol does with an agent, one line of JSON for each thing it saw.
import { randomUUID } from 'node:crypto';
import { ClientFactory } from 'a2a-0.3/client';

const say = (what, value) => console.log(JSON.stringify({ what, value }));
const message = (text, more = {}) => ({
  message: { kind: 'message', role: 'user', messageId: randomUUID(), parts: [{ kind: 'text', text }], ...more },
});
const text = (task) => task.artifacts?.flatMap((artifact) => artifact.parts.map((part) => part.text)).join('');

const client = await new ClientFactory().createFromUrl(process.argv[2]);

const done = await client.sendMessage(message('hi'));
say('sent', { kind: done.kind, state: done.status.state, text: text(done) });

const events = [];
for await (const event of client.sendMessageStream(message('hello'))) {
  events.push(event.kind === 'status-update' ? event.status.state : event.kind);
}
say('streamed', events);

const asked = await client.sendMessage(message('question'));
say('asked', { state: asked.status.state, text: asked.status.message.parts[0].text });
const answered = await client.sendMessage(message('that one', { taskId: asked.id, contextId: asked.contextId }));
say('answered', { state: answered.status.state, sameTask: answered.id === asked.id, history: answered.history.length });

const waiting = await client.sendMessage({ ...message('wait'), configuration: { blocking: false } });
const followed = [];
const following = (async () => {
  for await (const event of client.resubscribeTask({ id: waiting.id })) {
    followed.push(event.kind === 'status-update' ? event.status.state : event.kind);
  }
})();
while (!followed.includes('task')) await new Promise((resolve) => setTimeout(resolve, 10));
const canceled = await client.cancelTask({ id: waiting.id });
await following;
say('canceled', { state: canceled.status.state, lastSeen: followed.at(-1) });

const kept = await client.getTask({ id: done.id, historyLength: 1 });
say('kept', { text: text(kept), history: kept.history.length });

for (const [what, call] of Object.entries({
  unknownTask: () => client.getTask({ id: 'nowhere' }),
  cancelAgain: () => client.cancelTask({ id: waiting.id }),
  push: () => client.setTaskPushNotificationConfig({
    taskId: done.id, pushNotificationConfig: { url: 'http://127.0.0.1:9' },
  }),
})) {
  try {
    await call();
    say(what, 'no error');
  } catch (error) {
    say(what, error.name === 'Error' ? error.message : error.name);
  }
}
