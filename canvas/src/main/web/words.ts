import { visible } from './visible';

/** What people read for what the API says. The only place that turns one into the other. */

export type Mood = 'needs' | 'failed' | 'doubt' | 'working' | 'idle' | 'away' | 'paused' | 'asleep';

/** Glyph and plain word of a mood; the colours of the same names are in tokens.css. */
export const MOODS: Record<Mood, { glyph: string; word: string }> = {
  needs: { glyph: '▲', word: 'needs you' },
  failed: { glyph: '✕', word: 'failed' },
  doubt: { glyph: '?', word: 'outcome unknown' },
  working: { glyph: '◐', word: 'working' },
  idle: { glyph: '·', word: 'idle' },
  away: { glyph: '○', word: 'offline' },
  paused: { glyph: '‖', word: 'paused' },
  asleep: { glyph: '☾', word: 'hibernated' },
};

const STATUSES: Record<string, string> = {
  provisioning: 'starting',
  online: 'idle',
  degraded: 'having errors',
  offline: 'offline',
  paused: 'paused',
  failed: 'failed',
  removed: 'deleted',
  awaiting_agent: 'waiting to be connected',
  hibernated: 'hibernated, wakes on a message',
};

export const statusWord = (status: string): string => STATUSES[status] ?? status;

const PROVIDERS: Record<string, string> = { anthropic: 'Anthropic', openai: 'OpenAI', google: 'Google', mistral: 'Mistral', 'azure-openai': 'Azure', openrouter: 'OpenRouter', deepseek: 'DeepSeek', groq: 'Groq', xai: 'xAI' };

/** Counts down, since the page is drawn every second. */
export const waitWords = (provider: string, millis: number): string => `${PROVIDERS[provider] ?? (clip(provider, 40) || 'its provider')} asks us to wait ${Math.ceil(millis / 1000)} s`;

const RUNTIMES: Record<string, string> = {
  echo: 'Echo (no model)',
  rehearsed: 'Recorded demo',
  delegate: 'Delegate (no model)',
  langgraph: 'a model',
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'gemini-cli': 'Gemini',
};

export const runsOn = (runtime: string): string => RUNTIMES[runtime] ?? (runtime || 'somewhere else');

/** What a thing that waits for a person says beside its agent's name; of kinds that nobody knows here, what the platform says. */
const WANTS: Record<string, (text: string, details: Record<string, unknown>) => string> = {
  question: (text) => `asks: ${text || 'something of you'}`,
  budget: (text) => `spent ${text}`,
  limit: (_, { of, title, spent, limit }) => `${of === 'team' ? 'its team spent' : of === 'organization' ? `${clip(String(title ?? ''), 60)} spent` : of === 'tenant' ? `the tenant ${clip(String(title ?? ''), 60)} spent` : `“${clip(String(title ?? ''), 60)}” cost`} ${money(Number(spent) || 0)} of ${money(Number(limit) || 0)}`,
  price: (_, { model }) => `uses ${clip(String(model ?? ''), 100)}, which has no price: what it costs is not counted`,
  unusual_cost: (_, { title, spent, median, runs }) => `“${clip(String(title ?? ''), 60)}” cost ${money(Number(spent) || 0)}, where the median of ${count(Number(runs) || 0, 'earlier run', 'earlier runs')} is ${money(Number(median) || 0)}`,
  stranger: () => 'wants to join; nobody invited it',
  failed: (text) => (text ? `cannot start: ${text.replace(/^(workspace start failed: |preflight failed: )+/, '')}` : 'cannot start'),
  degraded: (text) => (text ? `has errors: ${text}` : 'has errors'),
  awaiting_agent: () => 'waiting to be connected',
  webhook: (_, { webhook }) => `its webhook “${clip(String(webhook ?? ''), 60)}” is paused: the person who set its secret may not act for it any more`,
};

export const wantsOf = (row: { kind: string; text: string; details?: Record<string, unknown> }): string => WANTS[row.kind]?.(row.text, row.details ?? {}) ?? row.text;

/** Of a text that somebody else wrote: its lines as they are. */
export const asWritten = (text: string, most: number): string => visible(text.slice(0, endsInHalf(text, most) ? most - 1 : most));

/** Whether a cut there leaves half of a character, which is none. */
const endsInHalf = (text: string, at: number): boolean => text.length > at && /[\ud800-\udbff]/.test(text.charAt(at - 1));

/** Of a text that somebody else wrote: one line, no longer than so many characters, never half a character, and read as it is written. What is not there is empty: types promise nothing of what was sent. */
export function clip(text: string | null | undefined, most: number): string {
  const line = String(text ?? '').slice(0, endsInHalf(String(text ?? ''), most * 4) ? most * 4 - 1 : most * 4).replace(/\s+/g, ' ').trim();
  const shown = visible(line);
  const letters = [...shown];
  return letters.length <= most ? shown : letters.slice(0, most - 1).join('').trimEnd() + '…';
}

/** Somebody ended it: neither done nor failed, and nobody is needed. */
export const STOPPED = { mood: 'idle', glyph: '■', word: 'stopped' } as const;

/** What may be done to an agent by its name, in the box that searches. */
export const VERBS = ['ask', 'pause', 'resume', 'restart', 'move', 'delete'] as const;

const VERB = new RegExp(`^\\s*(?:${VERBS.join('|')})\\s+(?=\\S)`, 'i');

/** "restart backend" searches for backend. */
export const withoutVerb = (query: string): string => query.replace(VERB, '');

/** What was asked, without the name by which a recorded brain keeps its steps. */
export function asked(text: string): string {
  const named = text.search(/\(work [0-9a-f-]*\)?$/);
  return named < 0 ? text : text.slice(0, named).trimEnd();
}

/** How to mend a failed start, as the last lines of what the agent printed say it. */
export const fixIn = (output: string): string | undefined => [...output.matchAll(/^[ \t]*Fix: (.+)$/gm)].at(-1)?.[1];

/** What an agent works on, as people say it: what the platform tells one that came back is no task of anybody. */
export const taskWords = (task: string, most: number): string => (/^=== WORKSPACE RESTART CONTEXT ===/.test(task) ? 'reading what it did before it was restarted' : clip(task, most));

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
const EXACT = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** 09:12, and with the day when it was another one. */
export function clock(millis: number, now: number): string {
  const sameDay = new Date(millis).toDateString() === new Date(now).toDateString();
  return (sameDay ? '' : DAY.format(millis) + ' ') + CLOCK.format(millis);
}

export const exactly = (millis: number): string => EXACT.format(millis);

/** 0:52, 12:03, 1:02:03. */
export function elapsed(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${hours ? two(Math.floor(seconds / 60) % 60) : Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return hours ? `${hours}:${rest}` : rest;
}

/** "6 min", for how long something waits. */
export function waiting(millis: number): string {
  const minutes = Math.floor(millis / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`;
}

/** US dollars; less than a cent is said, not rounded away: what cost something never reads $0.00. */
export const money = (amount: number): string => (amount > 0 && amount < 0.01 ? '<$0.01' : '$' + amount.toFixed(2));

export const dollars = (cents: number): string => money(cents / 100);

/** Of a limit, which people say without cents. */
export const rounded = (cents: number): string => (cents % 100 ? dollars(cents) : `$${cents / 100}`);

/** The other way round, for who hears it. */
export const heard = (spent: string): string => spent.replace('<$', 'less than $');

const NOT_METERED = 'not metered';

/** What was spent where not all of it is counted: never a number that says more than is known. */
export function counted(spent: string, nothing: boolean, metered: boolean | undefined, uncounted = NOT_METERED): string {
  if (metered !== false) return spent;
  return nothing ? uncounted : `${spent} + ${uncounted}`;
}

export const count = (n: number, one: string, many = one + 's'): string => `${n} ${n === 1 ? one : many}`;

/** What the platform says of its own trouble, as people say it. */
export const troubleWords = (why: string): string => (/datastore/.test(why) ? 'its database does not answer' : clip(why, 160));
