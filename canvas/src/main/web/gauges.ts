/** Numbers of the platform's `/metrics` (docs/operations.md): pure, so that a test can say what follows from what. */

export type Gauges = Record<string, number>;

export interface Measured {
  name: string;
  words: string;
  say: (value: number) => string;
}

const many = (value: number): string => (value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10));
const seconds = (value: number): string => (value < 1 ? `${Math.round(value * 1000)} ms` : `${many(value)} s`);

const REQUESTS = 'molecule_http_requests_seconds_count';
const CALLS = 'molecule_model_calls_seconds_count';
const perSecond = (name: string): string => `${name}/s`;

/** What is drawn, in this order; what a platform does not tell is left out. */
export const MEASURED: Measured[] = [
  { name: perSecond(REQUESTS), words: 'requests a second', say: many },
  { name: 'molecule_websocket_connections_active', words: 'who listen', say: many },
  { name: 'molecule_queue_waiting', words: 'messages for busy agents', say: many },
  { name: 'molecule_delegations_open', words: 'open delegations', say: many },
  { name: 'molecule_streams_open', words: 'answers under way', say: many },
  { name: perSecond(CALLS), words: 'calls of models a second', say: many },
  { name: 'molecule_model_calls_waiting', words: 'calls that wait for a model', say: many },
  { name: 'molecule_activity_waiting', words: 'unwritten activity', say: many },
  { name: 'molecule_events_lag_seconds', words: 'how late events come', say: seconds },
];

/** The sum of each name over its labels; names that are not drawn, and what is no number, are left out. */
export function gaugesOf(text: string): Gauges {
  const gauges: Gauges = {};
  const wanted = new Set([...MEASURED.map(({ name }) => name), REQUESTS, CALLS]);
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+)(?:\{.*\})? (\S+)/.exec(line) ?? [];
    if (name && wanted.has(name) && Number.isFinite(Number(value))) gauges[name] = (gauges[name] ?? 0) + Number(value);
  }
  return gauges;
}

/** How fast counters grew; one that fell began anew, in another replica or after a restart, and says nothing. */
export function ratesOf(before: Gauges, after: Gauges, elapsed: number): Gauges {
  const rates: Gauges = {};
  for (const name of [REQUESTS, CALLS]) {
    const grown = (after[name] ?? NaN) - (before[name] ?? NaN);
    if (grown >= 0 && elapsed > 0) rates[perSecond(name)] = grown / elapsed;
  }
  return rates;
}
