/** How a schedule reads to people, and how what they choose is said to the platform: pure. */

/** What says when, of a schedule as the API has it. */
export interface When {
  cron_expr?: string;
  every_seconds?: number;
  at?: string;
  timezone?: string;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const NAMED: Record<string, string> = { '@hourly': 'every hour', '@daily': 'every day at 00:00', '@weekly': 'every Sunday at 00:00', '@monthly': 'on the 1st of each month', '@yearly': 'on 1 January' };

/** "every day at 09:00", "every 10 min"; what people write by hand is read to them as it stands. */
export function whenWords({ cron_expr: cron = '', every_seconds: seconds, at }: When): string {
  if (at || cron.startsWith('@at ')) return 'once';
  const every = seconds ?? Number(/^@every (\d+)s$/.exec(cron)?.[1] ?? 0);
  if (every) return `every ${spanWords(every)}`;
  if (NAMED[cron]) return NAMED[cron];
  const [minute = '', hour = '', date, month, day = ''] = cron.trim().split(/\s+/);
  if (date !== '*' || month !== '*' || !/^\d{1,2}$/.test(minute)) return cron;
  if (hour === '*' && day === '*') return minute === '0' ? 'every hour' : `every hour, ${minute} min past`;
  if (!/^\d{1,2}$/.test(hour)) return cron;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (day === '*') return `every day at ${time}`;
  if (day === '1-5') return `on weekdays at ${time}`;
  return /^[0-7]$/.test(day) ? `every ${DAYS[Number(day) % 7]} at ${time}` : cron;
}

const ONE = { days: 'day', h: 'hour', min: 'minute' };

function spanWords(seconds: number): string {
  for (const [length, words] of [[86_400, 'days'], [3_600, 'h'], [60, 'min']] as const) if (seconds % length === 0) return seconds === length ? ONE[words] : `${seconds / length} ${words}`;
  return `${seconds} s`;
}

/** What may be chosen, and what of the form each needs. */
export const KINDS = [
  { kind: 'day', words: 'every day at', needs: 'time' },
  { kind: 'weekdays', words: 'on weekdays at', needs: 'time' },
  ...[1, 2, 3, 4, 5, 6, 0].map((day) => ({ kind: `${day}`, words: `every ${DAYS[day]} at`, needs: 'time' })),
  { kind: 'every', words: 'every so many minutes', needs: 'minutes' },
  { kind: 'once', words: 'once, at', needs: 'moment' },
  { kind: 'cron', words: 'as a cron expression', needs: 'cron' },
] as const;

/** As the API takes it. `value` is a time of the day, minutes, a moment, or an expression. */
export function whenOf(kind: string, value: string, timezone: string): When {
  if (kind === 'every') return { every_seconds: Math.round(Number(value) * 60) };
  if (kind === 'once') return { at: value.length === 'yyyy-mm-ddThh:mm'.length ? `${value}:00` : value, timezone };
  if (kind === 'cron') return { cron_expr: value, timezone };
  const [hour, minute] = value.split(':').map(Number);
  return { cron_expr: `${minute} ${hour} * * ${kind === 'day' ? '*' : kind === 'weekdays' ? '1-5' : kind}`, timezone };
}

/** Messages of the clock are told from those of people by their ids (docs/wire/proxy.md, Schedules). */
export const ofTheClock = (messageId: string): boolean => /^cron-[0-9a-f]{8}-/.test(messageId);
