/** What is different between two versions of an agent's settings, and between two texts: pure. */

export interface Difference {
  setting: string;
  /** As a person reads it; null where there is none. */
  then: string | null;
  now: string | null;
}

export interface Line {
  kind: 'same' | 'gone' | 'new' | 'folded';
  text: string;
}

/** Settings whose members are settings of their own. */
const OF_MEMBERS = new Set(['config', 'files', 'secrets']);
/** Longer texts are shown as gone and new as wholes; so many lines take some 10 ms. */
const LINES_MAX = 600;
const AROUND = 2;

/** One member a line, by its name; what is the same is left out. */
export function differencesOf(then: Record<string, unknown>, now: Record<string, unknown>): Difference[] {
  const a = flat(then);
  const b = flat(now);
  return [...new Set([...a.keys(), ...b.keys()])]
    .sort()
    .filter((setting) => a.get(setting) !== b.get(setting))
    .map((setting) => ({ setting, then: a.get(setting) ?? null, now: b.get(setting) ?? null }));
}

function flat(settings: Record<string, unknown>): Map<string, string> {
  const members = new Map<string, string>();
  for (const [name, value] of Object.entries(settings)) {
    if (OF_MEMBERS.has(name) && value && typeof value === 'object') {
      for (const [member, inner] of Object.entries(value)) put(members, `${name}.${member}`, name === 'secrets' ? 'there' : inner);
    } else put(members, name, value);
  }
  return members;
}

function put(members: Map<string, string>, name: string, value: unknown): void {
  if (value === null || value === undefined || value === '') return;
  members.set(name, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

/** The shortest way from one text to the other, with what stays the same folded except beside a change. */
export function linesOf(then: string, now: string): Line[] {
  const a = then.split('\n');
  const b = now.split('\n');
  if (a.length > LINES_MAX || b.length > LINES_MAX) return [...a.map((text): Line => ({ kind: 'gone', text })), ...b.map((text): Line => ({ kind: 'new', text }))];
  // lengths of the longest common rests
  const rest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) rest[i]![j] = a[i] === b[j] ? rest[i + 1]![j + 1]! + 1 : Math.max(rest[i + 1]![j]!, rest[i]![j + 1]!);
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i]! });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && rest[i + 1]![j]! >= rest[i]![j + 1]!)) lines.push({ kind: 'gone', text: a[i++]! });
    else lines.push({ kind: 'new', text: b[j++]! });
  }
  return fold(lines);
}

function fold(lines: Line[]): Line[] {
  const near = lines.map((_, i) => lines.slice(Math.max(0, i - AROUND), i + AROUND + 1).some((line) => line.kind !== 'same'));
  const folded: Line[] = [];
  for (let i = 0; i < lines.length; i++) {
    if (near[i]) folded.push(lines[i]!);
    else if (folded.at(-1)?.kind !== 'folded') folded.push({ kind: 'folded', text: '' });
  }
  return folded;
}
