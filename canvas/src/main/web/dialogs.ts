import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { cutOff, move, remove } from './actions';
import './add';
import './costs';
import { says } from './api';
import './dialogs.css';
import type { Agent } from './model';
import { MovePreview, stopSays, type MoveTold } from './moves';
import { holdButton } from './hold';
import { usualLimit } from './limits';
import { mayAct } from './rights';
import { rolesInWords } from './people';
import { NAME_MAX, mayName, nameOrganisation, namePerson, organisationName, person } from './names';
import { branchOf, treeOf } from './organisation';
import { store } from './store';
import { Part, look, view } from './view';
import { clip, count } from './words';
import { works } from './work';

/** Questions before something is done. Escape, and "No", change nothing. */
class Dialogs extends Part {
  private to = '';
  private readonly preview = new MovePreview(() => this.requestUpdate());
  private note = '';
  private asking = false;

  override render(): TemplateResult {
    const asked = view.dialog;
    const agent = store.org.agents.get(asked?.id ?? '');
    return html`
      <dialog aria-labelledby="dialog-title" @close=${() => look({ dialog: null })}>
        ${asked?.kind === 'help' ? this.drawHelp() : nothing}
        ${asked?.kind === 'add' ? html`<add-agents></add-agents>` : nothing}
        ${asked?.kind === 'ask' ? this.drawAsk() : nothing}
        ${asked?.kind === 'names' ? this.drawNames() : nothing}
        ${asked?.kind === 'move' && agent ? this.drawMove(agent) : nothing}
        ${asked?.kind === 'costs' ? html`<what-it-cost></what-it-cost>` : nothing}
        ${asked?.kind === 'cutoff' && agent ? this.drawCutOff(agent) : nothing}
        ${asked?.kind === 'delete' && agent ? this.drawDelete(agent) : nothing}
      </dialog>
    `;
  }

  protected override updated(_changed: PropertyValues): void {
    const dialog = this.querySelector('dialog')!;
    const gone = view.dialog && (view.dialog.kind === 'move' || view.dialog.kind === 'delete' || view.dialog.kind === 'cutoff') && !store.org.agents.has(view.dialog.id);
    if (view.dialog && !gone && !dialog.open) {
      this.to = view.dialog.to === undefined ? '' : (view.dialog.to ?? 'root');
      this.preview.forget();
      this.requestUpdate();
      this.note = '';
      dialog.showModal();
    }
    if ((!view.dialog || gone) && dialog.open) dialog.close();
  }

  private drawMove(agent: Agent): TemplateResult {
    const tree = treeOf(store.org.agents);
    const own = new Set(branchOf(tree, agent).map((one) => one.id));
    const others = tree.roots.flatMap((root) => branchOf(tree, root)).filter((one) => !own.has(one.id) && one.id !== agent.parent_id && mayAct(one.id));
    const choices = [...(agent.parent_id && mayAct() ? [{ id: 'root', words: 'Top level' }] : []), ...others.slice(0, 1000).map((one) => ({ id: one.id, words: `Team of ${clip(one.name, 50)}${one.role ? ` — ${clip(one.role, 40)}` : ''}` }))];
    const to = choices.some((choice) => choice.id === this.to) ? this.to : (choices[0]?.id ?? '');
    const parent = to === 'root' ? null : to;
    if (choices.length) this.preview.ask(agent.id, parent);
    const { told, note, refused } = this.preview;
    const go = () => { look({ dialog: null }); void move(agent, parent); };
    return html`
      <form method="dialog" @submit=${go}>
        <h2 id="dialog-title">Move <span dir="auto">${clip(agent.name, 60)}</span></h2>
        ${choices.length
          ? html`
              <label>To <select autofocus @change=${(event: Event) => { this.to = (event.target as HTMLSelectElement).value; this.requestUpdate(); }}>
                ${choices.map((choice) => html`<option value=${choice.id} .selected=${choice.id === to}>${choice.words}</option>`)}
              </select></label>
              <div class="told" role="status">
                ${told ? drawTold(told) : note ? html`<p class="refused">${refused ? note : `What it would change cannot be told now: ${note}`}</p>` : html`<p class="none">Asking what that would change…</p>`}
                ${own.size > 1 ? html`<p>The ${count(own.size - 1, 'agent')} below it ${own.size === 2 ? 'goes' : 'go'} along.</p>` : nothing}
              </div>
              <div class="buttons"><button class="primary" ?disabled=${refused || (!told && !note)}>${note && !refused ? 'Move anyway' : 'Move'}</button><button type="button" @click=${() => look({ dialog: null })}>Cancel</button></div>
            `
          : html`<p>There is no other team to move to.</p><div class="buttons"><button type="button" @click=${() => look({ dialog: null })}>Close</button></div>`}
      </form>
    `;
  }

  private drawDelete(agent: Agent): TemplateResult {
    const below = branchOf(treeOf(store.org.agents), agent).length - 1;
    const go = () => { look({ dialog: null }); void remove(agent); };
    return html`
      <form method="dialog">
        <h2 id="dialog-title">Delete <span dir="auto">${clip(agent.name, 60)}</span>?</h2>
        <p>It is stopped and leaves the organisation${below ? `, and so ${below === 1 ? 'does the agent' : `do the ${below} agents`} below it` : ''}. What it works on stops. This cannot be undone.</p>
        <div class="buttons">${holdButton(`Delete${below ? ` ${below + 1} agents` : ''}`, go, { css: 'danger' })}<button type="button" autofocus @click=${() => look({ dialog: null })}>Cancel</button></div>
      </form>
    `;
  }

  private drawCutOff(agent: Agent): TemplateResult {
    const below = branchOf(treeOf(store.org.agents), agent).length - 1;
    const go = (event: Event): void => {
      const branch = !!(event.target as HTMLElement).closest('form')!.querySelector<HTMLInputElement>('[name=branch]')?.checked;
      look({ dialog: null });
      void cutOff(agent, branch);
    };
    return html`
      <form method="dialog">
        <h2 id="dialog-title">Quarantine <span dir="auto">${clip(agent.name, 60)}</span>?</h2>
        <p>The agent is paused, its API tokens are revoked, and no messages reach it or leave it until you release it. Its data is kept.</p>
        ${below ? html`<label class="tick"><input type="checkbox" name="branch" /> Also ${below === 1 ? 'the agent' : `the ${below} agents`} below it</label>` : nothing}
        <div class="buttons"><button type="button" class="danger" @click=${go}>Quarantine</button><button type="button" autofocus @click=${() => look({ dialog: null })}>Cancel</button></div>
      </form>
    `;
  }

  private drawAsk(): TemplateResult {
    const tree = treeOf(store.live.agents);
    const everybody = tree.roots.flatMap((root) => branchOf(tree, root)).filter((one) => mayAct(one.id)).slice(0, 1_000);
    const go = async (event: Event): Promise<void> => {
      event.preventDefault();
      const fields = new FormData(event.target as HTMLFormElement);
      const field = (name: string) => String(fields.get(name) ?? '').trim();
      if (this.asking) return;
      this.asking = true;
      try {
        const id = await works.ask(field('title'), field('brief'), field('to'), field('limit') ? Number(field('limit')) : null, field('due') ? new Date(field('due')).toISOString() : null);
        look({ dialog: null, screen: 'work', work: id });
      } catch (failure) {
        this.note = says(failure);
      }
      this.asking = false;
      this.requestUpdate();
    };
    return html`
      <form @submit=${go}>
        <h2 id="dialog-title">New run</h2>
        <label>Title <input name="title" required maxlength="200" autofocus autocomplete="off" dir="auto" /></label>
        <label>Instructions <textarea name="brief" maxlength="60000" dir="auto"></textarea></label>
        <label>Agent <select name="to">${everybody.map((agent) => html`<option value=${agent.id} .selected=${agent.id === view.talkTo}>${clip(agent.name, 60)}${agent.role ? ` — ${clip(agent.role, 50)}` : ''}</option>`)}</select></label>
        <label>Cost limit (USD) <input name="limit" type="number" min="0.01" max="1000000" step="0.01" placeholder=${usualLimit()} /></label>
        <label>Deadline <input name="due" type="datetime-local" /></label>
        <p class="refused" role="status">${this.note}</p>
        <div class="buttons"><button class="primary">Start run</button><button type="button" @click=${() => look({ dialog: null })}>Cancel</button></div>
      </form>
    `;
  }

  private drawNames(): TemplateResult {
    const go = async (event: Event): Promise<void> => {
      event.preventDefault();
      const fields = new FormData(event.target as HTMLFormElement);
      const field = (name: string) => String(fields.get(name) ?? '').trim();
      if (!store.who) namePerson(field('person'));
      try {
        if (!store.past && mayName()) await nameOrganisation(field('organisation'));
        look({ dialog: null });
      } catch (failure) {
        this.note = says(failure);
        this.requestUpdate();
      }
    };
    const { who } = store;
    return html`
      <form @submit=${go}>
        <h2 id="dialog-title" dir="auto">${who ? clip(who.name, NAME_MAX) : 'Names'}</h2>
        ${who ? html`<p class="none">You sign in as <b dir="auto">${clip(who.login, 100)}</b>: ${rolesInWords(who.roles)}. What you do is recorded in this name.</p>` : nothing}
        <label>The organisation <input name="organisation" maxlength=${NAME_MAX} autocomplete="off" dir="auto" placeholder="Club Calendar" ?disabled=${!!store.past || !mayName()} .value=${organisationName()} /></label>
        ${who
          ? nothing
          : html`<label>You <input name="person" maxlength=${NAME_MAX} autocomplete="name" dir="auto" autofocus .value=${person()} /></label>
              <p class="none">Everybody reads the first. Yours this browser keeps: it stands beside what you decide. It is no proof of who you are.</p>`}
        <p class="refused" role="status">${this.note}</p>
        <div class="buttons">${who && !mayName() ? nothing : html`<button class="primary">Save</button>`}<button type="button" @click=${() => look({ dialog: null })}>${who ? 'Close' : 'Cancel'}</button>
          ${who ? html`<button type="button" class="leave" @click=${() => void store.signOut().catch((failure: unknown) => { this.note = says(failure); this.requestUpdate(); })}>Sign out</button>` : nothing}</div>
      </form>
      ${who ? html`<people-section></people-section>` : nothing}
    `;
  }

  private drawHelp(): TemplateResult {
    const keys = [
      ['Ctrl-K or /', 'search'],
      ['arrow keys', 'from agent to agent, on the map and in the list'],
      ['Enter', 'open the agent; in the box below, ask'],
      ['f', 'fold or open a team on the map'],
      ['j, k', 'through what needs you'],
      ['a, d', 'approve, say no to the one you are at'],
      ['u', 'take back what was decided last, for 5\u00a0s'],
      ['t, e', 'to the tabs of the agent that is open; to the box to write in'],
      ['m, l, w, h, p', 'map, list, runs, settings, system'],
      ['+', 'add agents'],
      ['n', 'back to now'],
      ['Esc', 'close what is open'],
      ['?', 'this'],
    ];
    return html`
      <form method="dialog">
        <h2 id="dialog-title">Keyboard shortcuts</h2>
        <dl>${keys.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
        <div class="buttons"><button autofocus>Close</button></div>
      </form>
    `;
  }
}

const NAMED = 8;

/** All that a move would change, by name: whom it gains and loses, and what stops. */
function drawTold(told: MoveTold): TemplateResult {
  const { gains, loses, gains_secrets: got, loses_secrets: lost, would_stop: stops } = told;
  const named = ({ count: all, workspaces }: MoveTold['gains']) =>
    workspaces.slice(0, NAMED).map((one) => clip(one.name, 40)).join(', ') + (all > NAMED ? ` and ${all - NAMED} more` : '');
  const rows: [string, string][] = [
    ['Could then talk to', gains.count ? named(gains) : ''],
    ['No longer to', loses.count ? named(loses) : ''],
    ['Gets the secrets', got.map((key) => clip(key, 60)).join(', ')],
    ['Loses the secrets', lost.map((key) => clip(key, 60)).join(', ')],
  ];
  const said = rows.filter(([, what]) => what);
  return html`
    ${said.length ? html`<dl>${said.map(([what, whom]) => html`<dt>${what}</dt><dd dir="auto">${whom}</dd>`)}</dl>` : html`<p>It may talk to the same agents as now.</p>`}
    ${stops === null ? html`<p class="none">What of its work would stop cannot be told now.</p>` : stops.length ? html`
      <p class="stops"><b aria-hidden="true">▲</b> ${count(stops.length, 'task')} under way would stop:</p>
      <ul>${stops.slice(0, NAMED).map((one) => html`<li dir="auto">${stopSays(one)}</li>`)}${stops.length > NAMED ? html`<li>and ${stops.length - NAMED} more</li>` : nothing}</ul>` : nothing}
  `;
}

customElements.define('ask-dialogs', Dialogs);
