// The official clients ask models of providers that speak another protocol: a line of JSON for each.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const [url, apiKey] = process.argv.slice(2);
const openai = new OpenAI({ apiKey, baseURL: `${url}/models/openai/v1`, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey, baseURL: `${url}/models/anthropic`, maxRetries: 0 });
const schema = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] };
const picture = 'iVBORw0KGgo=';

// Each asks once, runs the tool that the model calls, and asks again with its result.
const chat = async (model, stream) => {
  const messages = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: [{ type: 'text', text: 'look' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }] },
  ];
  const tools = [{ type: 'function', function: { name: 'look', description: 'looks', parameters: schema } }];
  const ask = () => stream
    ? openai.chat.completions.stream({ model, messages, tools, stream_options: { include_usage: true } }).finalChatCompletion()
    : openai.chat.completions.create({ model, messages, tools });
  const first = await ask();
  const { message, finish_reason } = first.choices[0];
  const calls = message.tool_calls.map((call) => call.function.name + call.function.arguments);
  messages.push(message, ...message.tool_calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: `seen ${JSON.parse(call.function.arguments).at}` })));
  const second = await ask();
  return {
    calls, stop: finish_reason, text: second.choices[0].message.content, end: second.choices[0].finish_reason,
    usage: [second.usage.prompt_tokens, second.usage.prompt_tokens_details.cached_tokens, second.usage.completion_tokens],
  };
};

const responses = async (model, stream) => {
  const input = [{ role: 'user', content: [{ type: 'input_text', text: 'look' }, { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${picture}` }] }];
  const tools = [{ type: 'function', name: 'look', description: 'looks', parameters: schema, strict: false }];
  const request = { model, input, tools, instructions: 'be brief' };
  const ask = () => stream ? openai.responses.stream(request).finalResponse() : openai.responses.create(request);
  const first = await ask();
  const called = first.output.filter((item) => item.type === 'function_call');
  const calls = called.map((call) => call.name + call.arguments);
  input.push(...first.output, ...called.map((call) => ({ type: 'function_call_output', call_id: call.call_id, output: `seen ${JSON.parse(call.arguments).at}` })));
  const second = await ask();
  return {
    calls, stop: called.length ? 'tool_calls' : first.status, text: second.output_text, end: second.status === 'completed' ? 'stop' : second.status,
    usage: [second.usage.input_tokens, second.usage.input_tokens_details.cached_tokens, second.usage.output_tokens],
  };
};

const messages = async (model, stream) => {
  const said = [{ role: 'user', content: [{ type: 'text', text: 'look' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } }] }];
  const tools = [{ name: 'look', description: 'looks', input_schema: schema }];
  const request = { model, max_tokens: 99, system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }], messages: said, tools };
  const ask = () => stream ? anthropic.messages.stream(request).finalMessage() : anthropic.messages.create(request);
  const first = await ask();
  const called = first.content.filter((block) => block.type === 'tool_use');
  const calls = called.map((call) => call.name + JSON.stringify(call.input));
  said.push({ role: 'assistant', content: first.content }, {
    role: 'user', content: called.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: `seen ${call.input.at}` })),
  });
  const second = await ask();
  return {
    calls, stop: first.stop_reason === 'tool_use' ? 'tool_calls' : first.stop_reason, text: second.content[0].text, end: second.stop_reason === 'end_turn' ? 'stop' : second.stop_reason,
    usage: [second.usage.input_tokens + second.usage.cache_read_input_tokens, second.usage.cache_read_input_tokens, second.usage.output_tokens],
  };
};

const spoken = { chat, responses, messages };
for (const [protocol, model] of [['chat', 'anthropic:m'], ['chat', 'newer:m'], ['responses', 'anthropic:m'], ['responses', 'older:m'], ['messages', 'older:m'], ['messages', 'newer:m']]) {
  for (const stream of [false, true]) {
    let value;
    try {
      value = await spoken[protocol](model, stream);
    } catch (error) {
      value = String(error.stack);
    }
    console.log(JSON.stringify({ what: `${protocol} ${model} ${stream ? 'streamed' : 'whole'}`, value }));
  }
}
for (const [what, call] of [
  ['refusedOpenai', () => openai.chat.completions.create({ model: 'anthropic:m', messages: [{ role: 'user', content: 'hi' }], logit_bias: { 50256: -100 } })],
  ['refusedAnthropic', () => anthropic.messages.create({ model: 'older:m', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], top_k: 5 })],
  ['limitedOpenai', () => openai.chat.completions.create({ model: 'anthropic:m', messages: [{ role: 'user', content: 'limit' }] })],
  ['limitedAnthropic', () => anthropic.messages.create({ model: 'older:m', max_tokens: 9, messages: [{ role: 'user', content: 'limit' }] })],
  ['cutOpenai', () => openai.chat.completions.stream({ model: 'anthropic:m', messages: [{ role: 'user', content: 'cut' }] }).finalContent()],
  ['cutAnthropic', () => anthropic.messages.stream({ model: 'older:m', max_tokens: 9, messages: [{ role: 'user', content: 'cut' }] }).finalText()],
]) {
  try {
    await call();
    console.log(JSON.stringify({ what, value: 'no error' }));
  } catch (error) {
    console.log(JSON.stringify({ what, value: `${error.constructor.name} ${error.status} ${error.message}` }));
  }
}
