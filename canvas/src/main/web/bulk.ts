import { html, nothing, type TemplateResult } from 'lit';
import { call, says } from './api';
import type { Agent } from './model';
import { mayAct } from './rights';
import { store } from './store';
import { toast } from './view';
import { count } from './words';

/** One thing done to many agents that were found: asked once more, a few at a time, and what could not be done is said. */

const AT_ONCE = 4;
/** Beyond, a search is not what was meant. */
export const BULK_MAX = 1_000;

interface Deed {
  word: string;
  done: string;
  path: string;
  fits: (agent: Agent) => boolean;
}

const DEEDS: Deed[] = [
  { word: 'Pause', done: 'paused', path: 'pause', fits: (agent) => agent.status !== 'paused' && agent.status !== 'removed' },
  { word: 'Resume', done: 'resumed', path: 'resume', fits: (agent) => agent.status === 'paused' && !agent.quarantined },
  { word: 'Restart', done: 'restarted', path: 'restart', fits: (agent) => agent.status !== 'paused' },
];

class Bulk {
  /** What was pressed once, and for how many. */
  private asked: { deed: Deed; agents: Agent[] } | null = null;
  private under: { deed: Deed; of: number; done: number } | null = null;

  draw(found: Agent[]): TemplateResult {
    if (this.under) return html`<span role="status">${this.under.done} of ${this.under.of} ${this.under.deed.done}…</span>`;
    const { asked } = this;
    if (asked) {
      return html`
        <span>${asked.deed.word} ${count(asked.agents.length, 'agent')}?</span>
        <button class="primary" @click=${() => void this.run(asked.deed, asked.agents)}>${asked.deed.word} ${asked.agents.length === 1 ? 'it' : `all ${asked.agents.length}`}</button>
        <button @click=${() => this.ask(null)}>Cancel</button>
      `;
    }
    return html`${DEEDS.map((deed) => {
      const fitting = found.filter((agent) => deed.fits(agent) && mayAct(agent.id));
      const tooMany = fitting.length > BULK_MAX;
      return fitting.length
        ? html`<button ?disabled=${tooMany || !!store.past} title=${tooMany ? `more than ${BULK_MAX}: search for fewer` : nothing} @click=${() => this.ask({ deed, agents: fitting })}>${deed.word} ${fitting.length}</button>`
        : nothing;
    })}`;
  }

  /** Who leaves the search leaves what was asked for it. */
  forget(): void {
    this.asked = null;
  }

  private ask(asked: Bulk['asked']): void {
    this.asked = asked;
    store.changed();
  }

  private async run(deed: Deed, agents: Agent[]): Promise<void> {
    this.asked = null;
    const under = { deed, of: agents.length, done: 0 };
    this.under = under;
    const waiting = [...agents];
    let refused = 0;
    let why = '';
    const some = async (): Promise<void> => {
      for (let agent = waiting.shift(); agent; agent = waiting.shift()) {
        try {
          await call('POST', `/workspaces/${agent.id}/${deed.path}`, deed.path === 'restart' ? {} : undefined);
          under.done++;
        } catch (failure) {
          refused++;
          why = says(failure);
        }
        store.changed();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
    this.under = null;
    toast(`${count(under.done, 'agent')} ${deed.done}.${refused ? ` ${refused} could not be: ${why}` : ''}`);
  }
}

export const bulk = new Bulk();
