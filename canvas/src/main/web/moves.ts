import { Refused, call, says } from './api';
import type { Agent, Organisation } from './model';
import { moveSays } from './organisation';
import { store } from './store';
import { clip, count } from './words';

/** What a move would change, as the platform tells it before it is made (`POST /workspaces/:id/move?dry_run=1`). */

interface Reach {
  count: number;
  workspaces: { id: string; name: string; role: string | null }[];
}

interface Stopped {
  id: string;
  source_id: string | null;
  target_id: string;
  preview: string;
}

export interface MoveTold {
  gains: Reach;
  loses: Reach;
  gains_secrets: string[];
  loses_secrets: string[];
  /** null where nobody can tell now. */
  would_stop: Stopped[] | null;
}

export const moveAt = (id: string): string => `/workspaces/${id}/move`;

/** In one line, for what is carried about. */
export function toldInShort(told: MoveTold): string {
  const { gains, loses, gains_secrets: got, loses_secrets: lost, would_stop: stops } = told;
  const says = [
    gains.count ? `may then talk to ${gains.count} more` : '',
    loses.count ? `no longer to ${loses.count}` : '',
    got.length ? `gets ${count(got.length, 'secret')}` : '',
    lost.length ? `loses ${count(lost.length, 'secret')}` : '',
    stops?.length ? `${count(stops.length, 'task')} under way would stop` : '',
  ].filter((part) => part);
  return says.join(', ') || 'may talk to the same agents as now';
}

/** One question at a time: whoever asks for another move meanwhile is told of the last they asked for. */
export class MovePreview {
  told: MoveTold | null = null;
  /** Why there is none. */
  note = '';
  /** The platform refuses that move; it is not that nobody could be asked. */
  refused = false;
  private asked = '';
  private asking = false;

  constructor(private readonly changed: () => void) {}

  /** May be called at every drawing. */
  ask(agentId: string, parent: string | null): void {
    const wanted = `${agentId}>${parent}`;
    if (wanted === this.asked) return;
    this.asked = wanted;
    this.told = null;
    this.note = '';
    this.refused = false;
    if (!this.asking) void this.read(agentId, parent);
    else this.next = [agentId, parent];
  }

  /** The next question is asked anew, whatever it is. */
  forget(): void {
    this.asked = '';
    this.next = null;
    this.told = null;
  }

  private next: [string, string | null] | null = null;

  private async read(agentId: string, parent: string | null): Promise<void> {
    this.asking = true;
    const wanted = `${agentId}>${parent}`;
    let told: MoveTold | null = null;
    let failure: unknown = null;
    try {
      told = await call<MoveTold>('POST', `${moveAt(agentId)}?dry_run=1`, { parent_id: parent });
    } catch (failed) {
      failure = failed;
    }
    this.asking = false;
    if (wanted === this.asked) {
      this.told = told;
      this.note = failure === null ? '' : says(failure);
      this.refused = failure instanceof Refused && failure.status < 500;
      this.changed();
    }
    const next = this.next;
    this.next = null;
    if (next) void this.read(...next);
  }

  /** What is carried about says: what the platform told, and until it did what follows from the picture. */
  inShort(org: Organisation, agent: Agent, parent: string | null): string {
    return this.told ? toldInShort(this.told) : this.refused ? this.note : moveSays(org.agents, agent, parent);
  }
}

/** "Writer asked Tester: run the checks". */
export function stopSays(one: Stopped): string {
  const name = (id: string | null): string => (id === null ? 'A person' : clip(store.org.agents.get(id)?.name ?? 'somebody', 40));
  return `${name(one.source_id)} asked ${name(one.target_id)}: ${clip(one.preview, 100)}`;
}
