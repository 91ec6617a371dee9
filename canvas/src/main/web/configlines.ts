/**
 * Lists in an agent's config.yaml, read and written line by line: what else stands there, comments among it, stays as it is. What is written in a
 * way that is not understood here is left to whoever wrote it.
 */

export interface Listed {
  /** null: the key is not there. */
  names: string[] | null;
  /** Whether it can be changed here. */
  plain: boolean;
}

interface Place {
  names: string[] | null;
  from: number;
  to: number;
}

const NAMES_MAX = 500;

export function listIn(text: string, key: string): Listed {
  const found = find(text, key);
  return found === 'other' ? { names: [], plain: false } : { names: found.names, plain: true };
}

/** @param names null takes the key out. @throws when the list that is there cannot be changed here */
export function withList(text: string, key: string, names: readonly string[] | null): string {
  const found = find(text, key);
  if (found === 'other') throw new Error(`${key} is written in a way that is not changed here; change it in config.yaml, under Inside.`);
  const lines = linesIn(text);
  const line = names === null ? [] : [`${key}: [${names.map((name) => (/^[A-Za-z][\w-]*$/.test(name) ? name : JSON.stringify(name))).join(', ')}]`];
  lines.splice(found.from, found.to - found.from, ...line);
  return lines.length ? `${lines.join('\n')}\n` : '';
}

/** The names one level below a section. */
export function membersIn(text: string, key: string): string[] {
  const lines = linesIn(text);
  const at = lines.findIndex((line) => rest(line, key) !== null);
  if (at < 0) return [];
  const written = rest(lines[at]!, key)!;
  if (written.startsWith('{')) {
    try {
      return Object.keys(JSON.parse(written) as object).slice(0, NAMES_MAX);
    } catch {
      return [];
    }
  }
  const below = lines.slice(at + 1, endOf(lines, at + 1, false));
  const indent = below.find((line) => meant(line))?.match(/^ */)![0].length ?? 0;
  return below.map((line) => line.match(/^( *)["']?([\w.-]+)["']?:/)).filter((one) => one && one[1]!.length === indent).map((one) => one![2]!).slice(0, NAMES_MAX);
}

export interface Free {
  name: string;
  words: string;
}

const ACTING: Free[] = [
  { name: 'write', words: 'write files' },
  { name: 'edit', words: 'change files' },
  { name: 'run', words: 'run commands' },
  { name: 'fetch', words: 'fetch pages of the web' },
];

/** What it has that acts, by its config.yaml. */
export function freeOf(config: string): Free[] {
  const tools = listIn(config, 'tools').names ?? [];
  const has = (name: string): boolean => tools.includes(name) || (tools.includes('files') && (name === 'write' || name === 'edit'));
  return [...ACTING.filter((one) => has(one.name)), ...membersIn(config, 'mcp_servers').map((server) => ({ name: `${server}__*`, words: `all tools of ${server}` }))];
}

const meant = (line: string): boolean => !!line.trim() && !line.trim().startsWith('#');

function linesIn(text: string): string[] {
  const lines = text.split(/\r?\n/);
  while (lines.length && !lines.at(-1)!.trim()) lines.pop();
  return lines;
}

/** What stands behind a key at the top; null on other lines. */
function rest(line: string, key: string): string | null {
  const found = line.match(/^(?:"([\w-]+)"|'([\w-]+)'|([\w-]+))\s*:(?:\s+(.*))?$/);
  return found && (found[1] ?? found[2] ?? found[3]) === key ? (found[4] ?? '').replace(/(^|\s)#.*$/, '').trim() : null;
}

/** The first line from there on that begins something else at the top. */
function endOf(lines: string[], from: number, items: boolean): number {
  const end = lines.findIndex((line, i) => i >= from && meant(line) && !/^\s/.test(line) && !(items && /^-(\s|$)/.test(line)));
  return end < 0 ? lines.length : end;
}

function find(text: string, key: string): Place | 'other' {
  const lines = linesIn(text);
  if (lines.some((line) => /^(\{|\[|---\s*\S|\.\.\.)/.test(line)) || lines.slice(1).some((line) => /^---/.test(line))) return 'other';
  const all = lines.flatMap((line, i) => (rest(line, key) === null ? [] : [i]));
  const at = all[0];
  if (at === undefined) return { names: null, from: lines.length, to: lines.length };
  const written = rest(lines[at]!, key)!;
  if (all.length > 1) return 'other';
  if (written.startsWith('[')) {
    const inner = written.match(/^\[([^[\]{}]*)\]$/)?.[1];
    return inner === undefined ? 'other' : checked(inner.split(',').map((one) => one.trim()).filter(Boolean), at, at + 1);
  }
  if (written) return /^[\w-]+$/.test(written) ? { names: [written], from: at, to: at + 1 } : 'other';
  const end = endOf(lines, at + 1, true);
  const items = lines.slice(at + 1, end).filter(meant).map((line) => line.match(/^\s*-\s+(.*)$/)?.[1]?.replace(/\s#.*$/, '').trim());
  return items.length && items.every((item) => item !== undefined) ? checked(items, at, end) : 'other';
}

/** Plain or quoted words; anything else is not understood here. */
function checked(items: string[], from: number, to: number): Place | 'other' {
  const names = items.map((item) => item.match(/^(?:"([^"\\]*)"|'([^']*)'|([^"'&*!|>%@`{}[\]#:,][^"'{}[\]#:,]*))$/)).map((one) => one && (one[1] ?? one[2] ?? one[3])!);
  return names.some((name) => name === null) || names.length > NAMES_MAX ? 'other' : { names: names as string[], from, to };
}
