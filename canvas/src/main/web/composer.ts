import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { says } from './api';
import { treeIn } from './census';
import { upload } from './chatfiles';
import './composer.css';
import type { Agent } from './model';
import { branchOf, type Tree } from './organisation';
import { mayAct } from './rights';
import { store } from './store';
import { talk } from './talk';
import { Part, look, toast, view } from './view';
import { works } from './work';
import { clip } from './words';

/** Where it does not, measuring would lay out the page anew at every drawing, so it is done only when the words changed. */
const GROWS_ITSELF = CSS.supports('field-sizing', 'content');

const OFFERED_MAX = 50;

/** Where a person asks. Under the map it says whom; in an agent's Talk that is known. What is written is kept per agent until it was sent. */
class Composer extends Part {
  static override properties = { agent: {} };
  /** The agent whose Talk this stands in. */
  declare agent: string | undefined;
  private sized: string | null = null;
  private uploading = false;
  /** In US dollars, as it was typed. */
  private limit = '';
  private asking = false;

  override render(): TemplateResult {
    const tree = treeIn(store.org);
    const to = this.to(tree);
    if (!to) return html``;
    const everybody = offered(tree, to);
    void talk.recall(to.id);
    const busy = talk.isBusy(to.id);
    const draft = this.draft(to);
    const attached = this.agent ? (view.attached.get(to.id) ?? []) : [];
    const away = store.connection.kind !== 'live';
    return html`
      <form @submit=${(event: Event) => { event.preventDefault(); void this.ask(to); }}>
        ${this.agent ? nothing : html`
          <label class="to">
            <span>Ask</span>
            <select @change=${(event: Event) => look({ talkTo: (event.target as HTMLSelectElement).value })}>
              ${everybody.map((agent) => html`<option value=${agent.id} .selected=${agent.id === to.id}>${label(agent)}</option>`)}
            </select>
          </label>
        `}
        <textarea
          rows="1"
          aria-label="What should happen? ${clip(to.name, 60)} reads it."
          placeholder=${this.agent ? `Write to ${clip(to.name, 40)}` : 'What should happen?'}
          .value=${draft}
          maxlength="100000"
          dir="auto"
          @input=${(event: Event) => this.write(to, (event.target as HTMLTextAreaElement).value)}
          @keydown=${(event: KeyboardEvent) => this.key(event, to)}
        ></textarea>
        ${this.agent && !store.past ? this.drawAttach(to) : nothing}
        ${this.agent || busy ? nothing : html`<label class="limit"><span aria-hidden="true">$</span><input name="limit" type="number" min="0.01" max="1000000" step="0.01" placeholder="limit" aria-label="Cost limit (USD); empty is no limit" .value=${this.limit} @input=${(event: Event) => { this.limit = (event.target as HTMLInputElement).value; }} /></label>`}
        ${busy
          ? html`${draft.trim() ? nothing : this.drawStop(to)}`
          : html`<button class="primary" ?disabled=${!draft.trim()}>${this.agent ? 'Send' : 'Ask'}</button>`}
        ${busy && draft.trim() ? html`<div class="buttons" role="group" aria-label="It is at work: what should become of your words?">
          <button class="primary" title="Sent when it is done">Wait</button>
          <button type="button" title="Stops what it is at, then reads this" @click=${() => void this.say(to, (words) => talk.interrupt(to.id, words))}>Interrupt</button>
          <button type="button" title="Read now, beside what it is at, as part of the same work" @click=${() => void this.say(to, (words) => talk.send(to.id, words, {}, () => view.attached.delete(to.id), this.agent ? view.attached.get(to.id) : []))}>Add to it</button>
          ${this.drawStop(to)}</div>` : nothing}
      </form>
      ${attached.length ? html`<ul class="attached" aria-label="Goes along">${attached.map((file) => html`<li><span dir="auto">${clip(file.name, 60)}</span> <button aria-label="Leave out ${clip(file.name, 60)}" @click=${() => { view.attached.set(to.id, attached.filter((one) => one !== file)); store.changed(); }}>✕</button></li>`)}</ul>` : nothing}
      ${busy ? html`<p class="hint">${busyWords(to, !!draft.trim())}</p>` : nothing}
      ${away && draft ? html`<p class="hint">The platform does not answer now; what you write is kept here until it does.</p>` : nothing}
    `;
  }

  protected override updated(_changed: PropertyValues): void {
    const area = GROWS_ITSELF ? null : this.querySelector('textarea');
    if (!area || area.value === this.sized) return;
    this.sized = area.value;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight + 2, 180)}px`;
  }

  private to(tree: Tree): Agent | undefined {
    const named = store.org.agents.get(this.agent ?? view.talkTo ?? '');
    if (named && (this.agent || mayAct(named.id))) return named;
    return tree.roots.find((root) => mayAct(root.id)) ?? tree.roots.flatMap((root) => branchOf(tree, root)).find((agent) => mayAct(agent.id));
  }

  /** What was written; on a first visit, a first question. */
  private draft(to: Agent): string {
    const first = !this.agent && view.talkTo === null && talk.isFirstVisit(to.id);
    return view.drafts.get(to.id) ?? (first ? firstQuestion(to) : '');
  }

  private write(to: Agent, words: string): void {
    view.drafts.set(to.id, words);
    this.requestUpdate();
  }

  private key(event: KeyboardEvent, to: Agent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void this.ask(to);
  }

  private async ask(to: Agent): Promise<void> {
    const limit = Number(this.limit);
    if (!this.agent && limit > 0 && !talk.isBusy(to.id)) return this.askWithin(to, limit);
    await this.say(to, (words) => {
      if (!talk.isBusy(to.id)) return talk.send(to.id, words, {}, () => view.attached.delete(to.id), this.agent ? view.attached.get(to.id) : []);
      talk.hold(to.id, words);
      return Promise.resolve(true);
    });
  }

  /** What may cost so much is a piece of work from the first word on, and opens as one. */
  private async askWithin(to: Agent, limit: number): Promise<void> {
    const words = this.draft(to).trim();
    if (!words || this.asking) return;
    this.asking = true;
    try {
      const id = await works.ask(...titled(words), to.id, limit);
      view.drafts.set(to.id, '');
      this.limit = '';
      look({ screen: 'work', work: id, talkTo: to.id });
    } catch (failure) {
      toast(says(failure));
    }
    this.asking = false;
  }

  /** What could not be sent stays with the writer. */
  private async say(to: Agent, how: (words: string) => Promise<boolean>): Promise<void> {
    const words = this.draft(to).trim();
    if (!words) return;
    view.drafts.set(to.id, '');
    if (!this.agent) look({ selected: to.id, talkTo: to.id, tab: 'talk' });
    const sent = await how(words);
    if (!sent && !view.drafts.get(to.id)) view.drafts.set(to.id, words);
    store.changed();
  }

  private drawAttach(to: Agent): TemplateResult {
    const chosen = async (event: Event): Promise<void> => {
      const field = event.target as HTMLInputElement;
      const files = [...(field.files ?? [])];
      field.value = '';
      this.uploading = true;
      this.requestUpdate();
      try {
        view.attached.set(to.id, [...(view.attached.get(to.id) ?? []), ...(await upload(to.id, files))]);
      } catch (failure) {
        toast(says(failure));
      }
      this.uploading = false;
      store.changed();
    };
    return html`<label class="attach" title="Attach files"><input type="file" multiple aria-label="Attach files" ?disabled=${this.uploading} @change=${(event: Event) => void chosen(event)} /><span aria-hidden="true">${this.uploading ? '…' : '+'}</span></label>`;
  }

  private drawStop(to: Agent): TemplateResult {
    return html`<button type="button" class=${this.draft(to).trim() ? '' : 'primary'} @click=${() => { takeBack(to.id); void talk.stop(to.id); }}>Stop</button>`;
  }
}

/** What waited to be sent is written again, before what was written since. */
export function takeBack(agentId: string): void {
  const held = talk.unhold(agentId);
  const draft = view.drafts.get(agentId) ?? '';
  if (held) view.drafts.set(agentId, draft ? `${held}\n\n${draft}` : held);
  store.changed();
}

const TITLE_MAX = 200;

/** The first line, and what follows it; of one that is too long for a title, its begin and all of it. */
function titled(words: string): [string, string] {
  const [first = '', ...rest] = words.split('\n');
  return first.length <= TITLE_MAX ? [first, rest.join('\n').trim()] : [clip(first, TITLE_MAX), words];
}

const NAMED = 4;

/** Whom Stop stops, before it is pressed; and what becomes of what is written meanwhile. */
function busyWords(to: Agent, writes: boolean): string {
  const others = talk.alsoStopped(to.id);
  const named = others.slice(0, NAMED).join(', ') + (others.length > NAMED ? ` and ${others.length - NAMED} more` : '');
  const stops = others.length ? `Stop stops ${named}, too.` : '';
  return writes ? `Wait: sent when it is done. Interrupt: stops it first. Add to it: read now, as part of the same work. ${stops}` : stops || `${clip(to.name, 40)} is at work. You may write meanwhile.`;
}

/** Nobody reads a choice of thousands: of many those who lead, and who was chosen on the map or found by search. */
function offered(tree: Tree, to: Agent): Agent[] {
  if (store.org.agents.size <= OFFERED_MAX) return tree.roots.flatMap((root) => branchOf(tree, root)).filter((agent) => mayAct(agent.id));
  const first = tree.roots.filter((root) => mayAct(root.id)).slice(0, OFFERED_MAX);
  return first.includes(to) ? first : [to, ...first];
}

/** "Writer — puts things into words": two may have the same name. */
const label = (agent: Agent): string => clip(agent.name, 40) + (agent.role ? ` — ${clip(agent.role, 50)}` : '');

/** Something that this agent can answer. One that asks its team is told whom, since it has no model to choose by. */
export function firstQuestion(agent: Agent): string {
  if (agent.runtime === 'rehearsed') return 'Is the club calendar ready to release? One page, please.';
  if (agent.runtime !== 'delegate') return 'In one sentence: what can you do for me?';
  const team = treeIn(store.org).childrenOf.get(agent.id) ?? [];
  const asks = team.slice(0, 2).map((one, i) => `ask ${clip(one.name, 60)}: ${i ? 'say hello' : 'what do we know?'}`);
  return asks.join('\n') || 'hello';
}

customElements.define('ask-composer', Composer);
