import { Refused, call, says } from './api';
import { linkOf } from './inbox';
import type { Answer, Waiting } from './model';
import { person } from './names';
import { read } from './readings';
import { mayAct } from './rights';
import { runningIn, stopAll } from './stopping';
import { store } from './store';
import { talk } from './talk';
import { look, toast, view } from './view';
import { works } from './work';
import { clip, waiting } from './words';

/** What a person does about what waits for them. Nothing counts as done before the platform said so; what it refuses stays, with its words. */

/** How long a decision can be taken back; the platform carries it out within some 2 s after. */
const GRACE_SECONDS = 5;
const SETTLED_MILLIS = 3_000;

export const answerTo = (row: Waiting): Answer | undefined => store.org.answers.get(row.id);

export const isBusy = (row: Waiting): boolean => !!store.past || answerTo(row)?.state === 'sending' || !mayAct(row.workspace_id);

/** How somebody else, or time, decided before. */
export function settledWords(approvalId: string, now: number): string {
  const settled = store.live.settled.get(approvalId);
  if (!settled) return 'Somebody else decided it, or it expired.';
  if (!settled.by) return 'Expired: nobody decided in time.';
  const when = waiting(now - settled.at);
  return `${settled.by} ${settled.approved ? 'approved this' : 'denied this'} ${when === 'just now' ? when : `${when} ago`}.`;
}

/** Whom a person may ask to ask again: whose approval ended by itself. */
export function missedBy(approvalId: string): string | null {
  const settled = store.live.settled.get(approvalId);
  return settled && !settled.by && store.live.agents.has(settled.workspaceId) ? settled.workspaceId : null;
}

/** What was to be decided, of one that is over; empty while it is read, and where it is kept no more. */
export function askedFor(approvalId: string): string {
  const agentId = store.live.settled.get(approvalId)?.workspaceId;
  const kept = agentId && store.live.agents.has(agentId) ? read<{ id: string; action: string }[]>(`/workspaces/${agentId}/approvals`).value : null;
  return Array.isArray(kept) ? (kept.find((one) => one.id === approvalId)?.action ?? '') : '';
}

/** Nobody decided in time, so its agent was told no; it is asked to ask anew, in the conversation there is. */
export async function askAgain(approvalId: string): Promise<void> {
  const agentId = missedBy(approvalId);
  if (!agentId || store.past) return;
  const action = askedFor(approvalId);
  const words = `Nobody decided in time whether you may${action ? `: ${action}` : ' do what you asked for'}\n\nIf it is still to be done, please ask again.`;
  look({ selected: agentId, talkTo: agentId, tab: 'talk' });
  if (!(await talk.send(agentId, words)) && !view.drafts.get(agentId)) view.drafts.set(agentId, words);
  store.changed();
}

/** One thing done about a row, which waits until the platform says otherwise. */
async function attempt(row: Waiting, said: string, what: () => Promise<number>): Promise<void> {
  if (isBusy(row)) return;
  const answer: Answer = { state: 'sending', position: row.position, said, effectAt: 0, note: '' };
  store.live.answers.set(row.id, answer);
  store.changed();
  try {
    answer.effectAt = await what();
    answer.state = 'decided';
  } catch (failure) {
    if (isOver(failure)) late(row);
    else Object.assign(answer, { state: 'refused', note: says(failure) });
  }
  store.inbox.freshen();
  store.changed();
}

/** 404: it is no more, whatever was wanted of it. */
const isOver = (failure: unknown): boolean => failure instanceof Refused && failure.status === 404;

function late(row: Waiting): void {
  store.live.answers.delete(row.id);
  store.live.waiting.delete(row.id);
  toast(`Too late for “${clip(row.text, 60)}”. ${settledWords(linkOf(row), Date.now())}`);
}

const decideAt = (row: Waiting): string => `/workspaces/${row.workspace_id}/approvals/${linkOf(row)}/decide`;

/** @param digest of what is drawn: the platform refuses a decision on anything else */
export function decide(row: Waiting, decision: 'approved' | 'denied', digest: string | undefined): void {
  void attempt(row, decision === 'denied' ? 'Denied' : 'Approved', async () => {
    const answer = await call<{ takes_effect_at?: string }>('POST', decideAt(row), { decision, decided_by: person() || 'human', grace_seconds: GRACE_SECONDS, shown: 'page', ...(digest ? { digest } : {}) });
    // the inbox tells its end; should that be missed, so does reading
    setTimeout(() => store.inbox.freshen(), GRACE_SECONDS * 1000 + SETTLED_MILLIS);
    return answer.takes_effect_at ? Date.parse(answer.takes_effect_at) : 0;
  });
}

/** Takes back a decision while its grace lasts. */
export async function undecide(row: Waiting): Promise<void> {
  const answer = answerTo(row);
  if (answer?.state !== 'decided') return;
  answer.state = 'sending';
  store.changed();
  try {
    await call('DELETE', decideAt(row));
    store.live.answers.delete(row.id);
  } catch (failure) {
    if (isOver(failure)) late(row);
    else Object.assign(answer, { state: 'decided', note: says(failure) });
  }
  store.changed();
}

/** Answers what a task asked. @returns whether it was sent */
export async function reply(row: Waiting, words: string): Promise<boolean> {
  const { task_id: taskId, context_id: contextId } = row.details;
  let sent = false;
  await attempt(row, 'Answered', async () => {
    const about = { taskId: String(taskId), ...(typeof contextId === 'string' ? { contextId } : {}) };
    // what the agent makes of it may take as long as its work: that it took the answer is enough here
    await new Promise<void>((taken, failed) => {
      void talk.send(row.workspace_id, words, about, taken).then((all) => (all ? taken() : failed(new Error('Not sent. Your text is kept.'))));
    });
    sent = true;
    return 0;
  });
  return sent;
}

export const dismiss = (row: Waiting): void => void attempt(row, 'Settled', () => call('DELETE', `/inbox/${row.id}`).then(() => 0));

/** It did not happen, so who handed it on hands it on again: the platform has the very words. Pressed twice it is done once. */
export const redo = (row: Waiting): void =>
  void attempt(row, 'Delegated again', async () => {
    await call('POST', `/workspaces/${row.workspace_id}/delegate`, { again: row.details['delegation_id'] });
    await call('DELETE', `/inbox/${row.id}`);
    return 0;
  });

export const admit = (row: Waiting): void => void attempt(row, 'Approved', () => call('POST', `/workspaces/${row.workspace_id}/admit`).then(() => 0));

/** @param cents what it may spend a month from now on */
export const allow = (row: Waiting, cents: number): void =>
  void attempt(row, 'Allowed', async () => {
    await call('PATCH', `/workspaces/${row.workspace_id}/budget`, { budget_limit: cents });
    const agent = store.live.agents.get(row.workspace_id);
    if (agent) agent.budget_limit = cents;
    return 0;
  });

/** What is spent is enough: everybody who is at that piece of work is stopped, and what is done is kept. */
export const stopHere = (row: Waiting): void =>
  void attempt(row, 'Stopped', async () => {
    const id = String(row.details['id']);
    await works.readPiece(id);
    const left = await stopAll(runningIn(id));
    if (left.length) throw new Error(left.join('; '));
    return 0;
  });

/** In US dollars per million tokens. */
export const setPrice = (row: Waiting, input: number, output: number): void =>
  void attempt(row, 'Price saved', async () => {
    await call('PUT', '/settings/prices', { model: String(row.details['model']), in: input, out: output });
    return 0;
  });

/** @param limit in US dollars, of a team, a tenant, a day of the organization or a run, from now on */
export const allowMore = (row: Waiting, limit: number): void =>
  void attempt(row, 'Allowed', async () => {
    const id = String(row.details['id']);
    if (row.details['of'] === 'team') await call('PATCH', `/workspaces/${id}/budget`, { team_limit: Math.round(limit * 100) });
    else if (row.details['of'] === 'tenant') await call('PATCH', `/tenants/${encodeURIComponent(String(row.details['title']))}/budget`, { budget_limit: Math.round(limit * 100) });
    else if (row.details['of'] === 'organization') await call('PUT', '/settings/spending', { day_cap: limit });
    else await call('PATCH', `/work/${id}`, { limit });
    return 0;
  });
