import { freeOf, listIn, membersIn, withList } from '../../main/web/configlines';
import { same, test } from './harness';

/** Lists in a config.yaml that people wrote: read, changed, and nothing else touched. */

const WRITTEN = `name: Coder # its name
tools: [files, "run"] # what it has
skills:
  # the first
  - review
- "ship-it"
mcp_servers:
  hub:
    command: npx
    env: {A: b}
  search: {url: "https://example.org"}
initial_prompt: |
  tools: [none]
`;

test('lists are read however they are written, and what is not there is not empty', () => {
  same([listIn(WRITTEN, 'tools').names, listIn(WRITTEN, 'skills').names, listIn(WRITTEN, 'unasked').names], [['files', 'run'], ['review', 'ship-it'], null]);
  same([listIn('"tools": ["files","a__*"]', 'tools').names, listIn('tools: files', 'tools').names, listIn('tools: []', 'tools').names], [['files', 'a__*'], ['files'], []]);
  same([membersIn(WRITTEN, 'mcp_servers'), membersIn('"mcp_servers": {"a":{"url":"x"}}', 'mcp_servers'), membersIn(WRITTEN, 'none')], [['hub', 'search'], ['a'], []]);
});

test('a list is changed, added and taken out, and every other line stays', () => {
  same(withList(WRITTEN, 'tools', ['run', 'hub__*']), WRITTEN.replace('tools: [files, "run"] # what it has', 'tools: [run, "hub__*"]'));
  same(withList(WRITTEN, 'skills', ['review']), WRITTEN.replace(/skills:[\s\S]*ship-it"/, 'skills: [review]'));
  same(withList(WRITTEN, 'unasked', []), `${WRITTEN}unasked: []\n`);
  same(withList(`${WRITTEN}unasked: []\n`, 'unasked', null), WRITTEN);
  same(withList('', 'unasked', ['true']), 'unasked: [true]\n');
});

test('what is not understood is neither read as nothing nor changed', () => {
  for (const text of ['tools: &x [files]', 'tools:\n  files: true', 'tools: [a, [b]]', 'tools:', '{tools: [a]}', 'a: 1\n---\ntools: [a]', 'tools: [a]\ntools: [b]', 'tools: [\n  a]', 'tools: >-\n  a', 'tools: ["a\\u0062"]']) {
    same([text, listIn(text, 'tools').plain], [text, false]);
    let refused = false;
    try {
      withList(text, 'tools', ['b']);
    } catch {
      refused = true;
    }
    same([text, refused], [text, true]);
  }
});

test('a list of blanks is read like another', () => {
  same(listIn(`tools:\n  - a${' '.repeat(400_000)}\n  - b${' '.repeat(400_000)}# why\n`, 'tools').names, ['a', 'b']);
});

test('what acts is what may be asked for: files write and edit, servers all of theirs', () => {
  same(freeOf(WRITTEN).map((one) => one.name), ['write', 'edit', 'run', 'hub__*', 'search__*']);
  same(freeOf('tools: [read, ask, edit]').map((one) => one.name), ['edit']);
});
