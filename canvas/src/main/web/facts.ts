import { standsStill } from './inbox';
import type { Agent, Organisation } from './model';
import { moodOf } from './organisation';
import { MOODS, clip, clock, counted, dollars, elapsed, heard, statusWord, taskWords, waitWords, waiting, wantsOf, type Mood } from './words';

/** What is said of an agent wherever it is shown, so that map, list and labels never differ. */
export interface Facts {
  mood: Mood;
  glyph: string;
  name: string;
  role: string;
  /** What it does now. */
  now: string;
  /** Since when: short, beside it. */
  time: string;
  /** What it cost this month, where that is anything. */
  spend: string;
}

export const NAME_MAX = 80;

/** Whose program has a login of its own, and whose model has no known price, nobody knows the cost of. */
export const spentBy = (agent: Agent): string => counted(dollars(agent.monthly_spend), !agent.monthly_spend, agent.metered !== false && !agent.unpriced, agent.metered === false ? undefined : 'price unknown');

export const statusOf = (agent: Agent): string => (agent.quarantined ? 'quarantined' : statusWord(agent.status));

export function factsOf(org: Organisation, agent: Agent, now: number): Facts {
  const mood = moodOf(org, agent);
  const since = agent.since === null ? '' : `since ${clock(agent.since, now)}`;
  const facts = { mood, glyph: MOODS[mood].glyph, name: clip(agent.name, NAME_MAX) || 'without a name', role: clip(agent.role ?? '', 140), spend: agent.monthly_spend || agent.metered === false || agent.unpriced ? spentBy(agent) : '' };
  switch (mood) {
    case 'needs': {
      const row = org.waitsOf.get(agent.id)!.find((one) => standsStill(one) && org.answers.get(one.id)?.state !== 'decided')!;
      return { ...facts, now: clip(wantsOf(row), 120), time: waiting(now - Date.parse(row.since)) };
    }
    case 'working':
      if (agent.waits && agent.waits.until > now) return { ...facts, now: waitWords(agent.waits.for, agent.waits.until - now), time: agent.since === null ? '' : elapsed(now - agent.since) };
      return { ...facts, now: taskWords(agent.current_task, 120) || 'working', time: agent.since === null ? '' : elapsed(now - agent.since) };
    case 'failed':
      return { ...facts, now: agent.error ? clip(agent.error, 160) : statusWord(agent.status), time: since };
    case 'doubt':
      return { ...facts, now: 'outcome unknown', time: '' };
    case 'idle':
    case 'asleep':
      return { ...facts, now: MOODS[mood].word, time: since };
    default:
      return { ...facts, now: statusOf(agent), time: since };
  }
}

/** All of it in one sentence, for those who hear it. */
export function spoken(facts: Facts): string {
  const word = MOODS[facts.mood].word;
  const now = facts.now === word ? '' : facts.now;
  const spend = facts.spend && (/^<?\$/.test(facts.spend) ? `${heard(facts.spend)} this month` : facts.spend);
  return [facts.name, facts.role, word, now, facts.time, spend].filter((part) => part).join(', ');
}
