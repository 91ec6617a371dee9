import type { LoggedEvent, Organisation, Waiting } from './model';

/** What waits for people, as `GET /inbox` tells it: pure, and the only place where rows come in and go. */

/** Takes the place of all rows. */
export function replaceWaiting(org: Organisation, rows: Waiting[]): void {
  org.waiting = new Map(rows.map((row) => [row.id, row]));
  index(org);
}

/** What changed: rows that came or are others now, and those that wait no more. */
export function changeWaiting(org: Organisation, rows: Waiting[], resolved: string[]): void {
  for (const id of resolved) org.waiting.delete(id);
  for (const row of rows) {
    org.waiting.delete(row.id); // what changed last stands last
    org.waiting.set(row.id, row);
  }
  index(org);
}

/** Whoever leaves takes along what waited there; the inbox says so too, a moment later. */
export function dropWaiting(org: Organisation, workspaceId: string): void {
  changeWaiting(org, [], (org.waitsOf.get(workspaceId) ?? []).map((row) => row.id));
}

function index(org: Organisation): void {
  org.waitsOf = new Map();
  for (const row of org.waiting.values()) {
    const others = org.waitsOf.get(row.workspace_id);
    if (others) others.push(row);
    else org.waitsOf.set(row.workspace_id, [row]);
  }
  for (const [id, answer] of org.answers) if (org.waiting.get(id)?.position !== answer.position) org.answers.delete(id);
}

/** Whether its agent does nothing more for whoever asked, until a person decides. */
export const standsStill = (row: Waiting): boolean =>
  row.kind === 'approval' || row.kind === 'question' || row.kind === 'stranger' || ((row.kind === 'budget' || row.kind === 'limit') && Number(row.details['percent']) >= 100);

/** What is not answered here yet: what needs a decision first, of each part what holds up most, then the longest waiting. */
export function openRows(org: Organisation): Waiting[] {
  return [...org.waiting.values()]
    .filter((row) => org.answers.get(row.id)?.state !== 'decided')
    .sort((a, b) => PARTS[a.part] - PARTS[b.part] || (b.behind?.tasks ?? 0) - (a.behind?.tasks ?? 0) || (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
}

const PARTS: Record<Waiting['part'], number> = { decide: 0, fix: 1 };

/** The row a link names: by the id of the row, or of the approval it is. */
export function rowOf(org: Organisation, named: string): Waiting | undefined {
  return org.waiting.get(named) ?? [...org.waiting.values()].find((row) => row.details['approval_id'] === named);
}

/** What a link names it by: an approval by its own id, since that is what is told of its end. */
export const linkOf = (row: Waiting): string => (typeof row.details['approval_id'] === 'string' ? row.details['approval_id'] : row.id);

/** What waited at a moment, from the events before it (newest first) and the statuses then; as the inbox makes its rows. */
export function waitedAt(org: Organisation, events: LoggedEvent[]): Waiting[] {
  const ended = new Set<unknown>();
  const rows: Waiting[] = [];
  for (const event of events) {
    const { payload } = event;
    const opening = OPENING[event.event_type];
    const closing = CLOSING[event.event_type];
    if (closing) ended.add(payload[closing]);
    if (!opening || !org.agents.has(event.workspace_id ?? '')) continue;
    const key = payload[opening.key];
    if (ended.has(key) || !opening.opens(payload)) continue;
    ended.add(key); // told twice, it is one
    rows.push(rowAt(event.workspace_id!, opening.kind, 'decide', String(payload[opening.words] ?? ''), event.created_at, payload, String(key)));
  }
  for (const agent of org.agents.values()) {
    const since = new Date(agent.since ?? org.heardAt).toISOString();
    if (BROKEN.has(agent.status)) rows.push(rowAt(agent.id, agent.status, 'fix', agent.error, since, {}, agent.status));
  }
  return rows;
}

const OPENING: Record<string, { kind: string; key: string; words: string; opens: (payload: Record<string, unknown>) => boolean }> = {
  APPROVAL_REQUESTED: { kind: 'approval', key: 'approval_id', words: 'action', opens: () => true },
  TASK_WAITING: { kind: 'question', key: 'task_id', words: 'question', opens: () => true },
  DELEGATION_FAILED: { kind: 'outcome_unknown', key: 'delegation_id', words: 'error', opens: (payload) => payload['outcome'] === 'unknown' },
};
const CLOSING: Record<string, string> = { APPROVAL_APPROVED: 'approval_id', APPROVAL_DENIED: 'approval_id', APPROVAL_DECIDED: 'approval_id', TASK_WAIT_ENDED: 'task_id' };
const BROKEN = new Set(['failed', 'degraded', 'awaiting_agent']);

function rowAt(workspaceId: string, kind: string, part: Waiting['part'], text: string, since: string, details: Record<string, unknown>, key: string): Waiting {
  return { id: `${kind}:${workspaceId}:${key}`, kind, part, workspace_id: workspaceId, workspace_name: null, text, since, expires_at: null, position: 0, dismissible: false, details };
}
