import { openRows } from './inbox';
import type { Waiting } from './model';
import { store } from './store';
import { works, type Task, type Work, type WorkState } from './work';

/**
 * Which run an approval holds up, where its agent did not say for which task it asks. It is the run in which that agent is at work; where
 * there are several, nobody knows, and nothing is said. Of what names its task the platform itself says that it waits.
 */

/** Runs whose tasks are read for it. */
const READ_MAX = 20;
/** Tasks begin and end: as often they are read again while something waits. */
const READ_MILLIS = 5_000;

const readAt = new Map<string, number>();
let taken: { drawing: number; held: Map<string, Waiting[]> } | null = null;

/** The rows that hold up a run, by its id. Counted once for each drawing. */
function held(): Map<string, Waiting[]> {
  if (taken?.drawing === store.drawing) return taken.held;
  const found = new Map<string, Waiting[]>();
  taken = { drawing: store.drawing, held: found };
  if (store.past) return found;
  const rows = openRows(store.live).filter((row) => row.kind === 'approval' && !row.details['task_id']);
  if (!rows.length) return found;
  works.recall();
  const running = works.list.filter((work) => work.state === 'working' || work.state === 'needs_you').slice(0, READ_MAX);
  for (const row of rows) {
    const its = running.filter((work) => isAtWork(work, row.workspace_id));
    const [only] = its;
    if (only && its.length === 1) found.set(only.id, [...(found.get(only.id) ?? []), row]);
  }
  return found;
}

function isAtWork(work: Work, agentId: string): boolean {
  freshen(work);
  const piece = works.pieces.get(work.id);
  return piece ? piece.tree.some((task) => task.target_id === agentId && isUnderWay(task)) : work.to === agentId;
}

const isUnderWay = (task: Task): boolean => task.state === 'running' || task.state === 'waiting';

function freshen(work: Work): void {
  if (Date.now() - (readAt.get(work.id) ?? 0) < READ_MILLIS) return;
  if (readAt.size > READ_MAX * 10) readAt.clear();
  readAt.set(work.id, Date.now());
  void works.readPiece(work.id).then(() => store.changed());
}

export const stateOf = (work: Work): WorkState => (work.state === 'working' && held().has(work.id) ? 'needs_you' : work.state);

/** Of a task in a run: what waits for a person is not working. */
export const taskStateOf = (work: Work, task: Task): Task['state'] => (task.state === 'running' && held().get(work.id)?.some((row) => row.workspace_id === task.target_id) ? 'waiting' : task.state);

export function runOf(row: Waiting): Work | undefined {
  for (const [id, rows] of held()) if (rows.includes(row)) return works.list.find((work) => work.id === id);
  return undefined;
}
