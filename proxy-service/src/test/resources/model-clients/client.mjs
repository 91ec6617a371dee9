// What the official clients make of the door's answers: a line of JSON for each thing tried.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const [url, key, stranger] = process.argv.slice(2);
const openai = (apiKey) => new OpenAI({ apiKey, baseURL: `${url}/models/openai/v1`, maxRetries: 0 });
const anthropic = (apiKey) => new Anthropic({ apiKey, baseURL: `${url}/models/anthropic`, maxRetries: 0 });
const tell = (what, value) => console.log(JSON.stringify({ what, value }));
const failing = async (what, call) => {
  try {
    await call();
    tell(what, 'no error');
  } catch (error) {
    tell(what, { name: error.constructor.name, status: error.status, message: error.message });
  }
};
const say = [{ role: 'user', content: 'hi' }];

const chat = await openai(key).chat.completions.create({ model: 'm', messages: say });
tell('chat', { text: chat.choices[0].message.content, total: chat.usage.total_tokens });
let streamed = '';
for await (const chunk of await openai(key).chat.completions.create({ model: 'm', messages: say, stream: true })) {
  streamed += chunk.choices[0]?.delta?.content ?? '';
}
tell('streamed', streamed);
const called = await openai(key).chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'tool' }] });
tell('tool', called.choices[0].message.tool_calls[0].function);
tell('responses', (await openai(key).responses.create({ model: 'm', input: 'hi' })).output_text);
tell('embeddings', (await openai(key).embeddings.create({ model: 'm', input: 'hi', encoding_format: 'float' })).data[0].embedding);
tell('models', (await openai(key).models.list()).data.map((model) => model.id));
tell('model', (await openai(key).models.retrieve('m')).id);
tell('anthropicModel', (await anthropic(key).models.retrieve('m')).id);
const message = await anthropic(key).messages.create({ model: 'm', max_tokens: 9, messages: say });
tell('message', { text: message.content[0].text, out: message.usage.output_tokens });
tell('messageStream', await anthropic(key).messages.stream({ model: 'm', max_tokens: 9, messages: say }).finalText());
tell('counted', (await anthropic(key).messages.countTokens({ model: 'm', messages: say })).input_tokens);
tell('anthropicModels', (await anthropic(key).models.list()).data.map((model) => model.id));

await failing('unknown', () => openai(key).chat.completions.create({ model: 'nowhere:m', messages: say }));
await failing('unknownModel', () => openai(key).models.retrieve('nowhere:m'));
await failing('noKey', () => openai('wrong').chat.completions.create({ model: 'm', messages: say }));
await failing('noKeyAnthropic', () => anthropic('wrong').messages.create({ model: 'm', max_tokens: 9, messages: say }));
await failing('limited', () => openai(key).chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'limit' }] }));
await failing('broke', () => openai(stranger).chat.completions.create({ model: 'm', messages: say }));
await failing('brokeAnthropic', () => anthropic(stranger).messages.create({ model: 'm', max_tokens: 9, messages: say }));
