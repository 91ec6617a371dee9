import { replaceWaiting, waitedAt } from './inbox';
import type { LoggedEvent, Organisation, Workspace } from './model';
import { nobody } from './model';
import { recall, replaceAgents } from './organisation';
import { asked, clip } from './words';
import type { PieceOfWork, Task, Work } from './work';

/** The organisation as it was at a moment, from what the platform kept: pure, and nothing in it is invented. */

/** A row of `GET /org?at=`; what older platforms leave out is taken from how the agent is now. */
export interface ChartRow {
  id: string;
  name: string;
  role: string | null;
  parent_id: string | null;
  status: string;
  x?: number;
  y?: number;
  tier?: number;
  runtime?: string;
}

const BEAM_MILLIS = 2_000;

/**
 * @param events newest first, as far back as they were read
 * @param tasks of the work that was under way then
 * @param now how it is, for what is not kept of then (places, runtimes)
 */
export function pastOf(at: number, chart: ChartRow[], events: LoggedEvent[], tasks: Task[], now: Organisation): Organisation {
  const org = nobody();
  const running = runningAt(at, tasks);
  const rows = chart
    .map((row): Workspace & { order: number } => {
      const known = now.agents.get(row.id);
      const task = running.get(row.id);
      return {
        id: row.id,
        name: row.name,
        role: row.role,
        parent_id: row.parent_id,
        status: row.status,
        tier: row.tier ?? known?.tier ?? 1,
        runtime: row.runtime ?? known?.runtime ?? '',
        x: row.x ?? known?.x ?? 0,
        y: row.y ?? known?.y ?? 0,
        collapsed: known?.collapsed ?? false,
        active_tasks: task ? 1 : 0,
        current_task: task && row.status === 'online' ? clip(asked(task.preview), 60) : '',
        last_sample_error: '',
        monthly_spend: 0,
        budget_limit: null,
        order: known?.order ?? Number.MAX_SAFE_INTEGER,
      };
    })
    .sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
  replaceAgents(org, rows);
  const before = events.filter((event) => Date.parse(event.created_at) <= at);
  recall(org, before);
  for (const [id, task] of running) {
    const agent = org.agents.get(id);
    if (agent) agent.since = Date.parse(task.started_at);
  }
  for (const task of tasks) {
    const began = Date.parse(task.started_at);
    if (task.source_id && began <= at && at - began < BEAM_MILLIS && org.agents.has(task.source_id) && org.agents.has(task.target_id)) {
      org.beams.push({ from: task.source_id, to: task.target_id, at: began });
    }
  }
  org.heardAt = at;
  replaceWaiting(org, waitedAt(org, before));
  return org;
}

/** What each agent was at: of several the one that began last. */
function runningAt(at: number, tasks: Task[]): Map<string, Task> {
  const running = new Map<string, Task>();
  for (const task of tasks) {
    const began = Date.parse(task.started_at);
    const ended = task.ended_at ? Date.parse(task.ended_at) : Infinity;
    const known = running.get(task.target_id);
    if (began <= at && at < ended && (!known || Date.parse(known.started_at) <= began)) running.set(task.target_id, task);
  }
  return running;
}

/** A piece of work as it stood then: not ended before its end, and without a cost, which is told of no moment. Null before it was asked for. */
export function workThen<W extends Work>(work: W, at: number): W | null {
  if (Date.parse(work.created_at) > at) return null;
  return work.ended_at && Date.parse(work.ended_at) <= at ? work : { ...work, state: 'working', ended_at: null, cost: null };
}

/** With what had been said and begun by then. When a file was made nobody tells, so they are there from its end on. */
export function pieceThen(piece: PieceOfWork, at: number): PieceOfWork | null {
  const then = workThen(piece, at);
  return then && { ...then, words: piece.words.filter((one) => Date.parse(one.at) <= at), tree: piece.tree.filter((task) => Date.parse(task.started_at) <= at).map((task) => taskThen(task, at)), files: then.ended_at ? piece.files : [] };
}

const taskThen = (task: Task, at: number): Task => (task.ended_at && Date.parse(task.ended_at) <= at ? task : { ...task, state: 'running', ended_at: null });
