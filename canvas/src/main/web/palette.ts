import { html, nothing, type TemplateResult } from 'lit';
import { pause, restart, resume } from './actions';
import { says } from './api';
import { foundNow } from './census';
import { factsOf } from './facts';
import type { Agent } from './model';
import { toPart } from './house';
import { needWords, needsCount } from './needs';
import './palette.css';
import { toRecord } from './record';
import { mayAct, mayAsk, mayRule, seesAll } from './rights';
import { store } from './store';
import { travel } from './travel';
import { Part, look, toast, view } from './view';
import { VERBS, clip, withoutVerb } from './words';

/** One box that finds agents and does what a button elsewhere does: whatever the page can be told is reached by its words. */

const PLACEHOLDER = matchMedia('(max-width: 720px)').matches ? 'Search or run a command' : 'Search or run a command  Ctrl-K';
const OFFERED_MAX = 8;
const AGENTS_MAX = 5;

interface Offer {
  key: string;
  glyph: string;
  words: string;
  /** What is beside it. */
  more: string;
  act: () => void;
}

/** @param also other words by which people look for it */
const COMMANDS: { words: string; also: string; there: () => boolean; act: () => void }[] = [
  { words: 'Inbox', also: 'decide approve inbox', there: () => needsCount() > 0, act: () => look({ screen: 'needs', waits: null, selected: null }) },
  { words: 'New run…', also: 'new task', there: () => !store.past && mayAsk() && store.live.agents.size > 0, act: () => look({ dialog: { kind: 'ask', id: '' } }) },
  { words: 'Runs', also: 'done history cost', there: () => true, act: () => look({ screen: 'work', work: null }) },
  { words: 'Map', also: 'picture', there: () => true, act: () => look({ screen: 'map' }) },
  { words: 'List', also: 'tree table', there: () => true, act: () => look({ screen: 'list' }) },
  { words: 'Policies', also: 'policy rules cel forbid', there: seesAll, act: () => toPart('policy') },
  { words: 'Instructions', also: 'instructions prompt everybody', there: seesAll, act: () => look({ screen: 'house' }) },
  { words: 'Notifications', also: 'notify notifications mail slack ntfy webhook quiet digest deputy', there: seesAll, act: () => toPart('who-is-told') },
  { words: 'Webhooks (incoming)', also: 'webhooks github incoming', there: seesAll, act: () => toPart('incoming') },
  { words: 'System', also: 'services replicas health', there: () => true, act: () => look({ screen: 'platform' }) },
  { words: 'Audit log', also: 'audit record log refusals', there: () => !store.past, act: () => { look({ screen: 'platform' }); toRecord(); } },
  { words: 'Usage…', also: 'usage spend money model team', there: () => !store.past, act: () => look({ dialog: { kind: 'costs', id: '' } }) },
  { words: 'New agent…', also: 'new import team template invite', there: () => !store.past && mayAct(), act: () => look({ dialog: { kind: 'add', id: '' } }) },
  { words: 'Add API key…', also: 'secret provider model', there: () => !store.past && mayRule(), act: () => look({ dialog: { kind: 'add', id: 'key' } }) },
  { words: 'Profile…', also: 'organisation you person', there: () => true, act: () => look({ dialog: { kind: 'names', id: '' } }) },
  { words: 'Keyboard…', also: 'help keys shortcuts', there: () => true, act: () => look({ dialog: { kind: 'help', id: '' } }) },
  { words: 'Live', also: 'live today', there: () => !!store.past, act: () => travel.now() },
  { words: 'Sign out', also: 'leave', there: () => store.signedIn, act: () => void store.signOut().catch((failure: unknown) => toast(says(failure))) },
];

const open = (agent: Agent): void => look({ selected: agent.id, talkTo: agent.id, tab: 'talk' });

/** What cannot be taken back asks before. */
const TO_AGENTS: Record<(typeof VERBS)[number], { words: string; act: (agent: Agent) => void }> = {
  ask: { words: 'Ask', act: open },
  pause: { words: 'Pause', act: (agent) => void pause(agent) },
  resume: { words: 'Resume', act: (agent) => void resume(agent) },
  restart: { words: 'Restart', act: (agent) => void restart(agent) },
  move: { words: 'Move', act: (agent) => look({ dialog: { kind: 'move', id: agent.id } }) },
  delete: { words: 'Delete', act: (agent) => look({ dialog: { kind: 'delete', id: agent.id } }) },
};

class SearchOrDo extends Part {
  private here = false;
  /** Of what is offered, which one Enter takes. */
  private at = 0;

  override render(): TemplateResult {
    const found = foundNow();
    const offers = this.here ? offered(found) : [];
    this.at = Math.min(this.at, Math.max(0, offers.length - 1));
    return html`
      <label class="search">
        <span class="unseen">Search agents, or say what to do</span>
        <input type="search" role="combobox" aria-autocomplete="list" aria-expanded=${offers.length ? 'true' : 'false'} aria-controls="offers"
          aria-activedescendant=${offers.length ? `offer-${this.at}` : nothing} placeholder=${PLACEHOLDER} autocomplete="off" .value=${view.query} dir="auto" maxlength="200"
          @input=${(event: Event) => { this.at = 0; this.here = true; look({ query: (event.target as HTMLInputElement).value }); }}
          @keydown=${(event: KeyboardEvent) => this.key(event, offers)}
          @focus=${() => this.turn(true)} @blur=${() => this.turn(false)} />
        ${found ? html`<span class="found" role="status">${found.size} of ${store.org.agents.size}</span>` : nothing}
      </label>
      <ul id="offers" role="listbox" aria-label="What was found, and what can be done" ?hidden=${!offers.length} @mousedown=${(event: Event) => event.preventDefault()}>
        ${offers.map((offer, i) => html`<li role="option" id="offer-${i}" aria-selected=${i === this.at ? 'true' : 'false'} @click=${() => this.take(offer)}>
          <span class="glyph" aria-hidden="true">${offer.glyph}</span><span class="words" dir="auto">${offer.words}</span><span class="more" dir="auto">${offer.more}</span></li>`)}
      </ul>
    `;
  }

  private turn(here: boolean): void {
    this.here = here;
    this.requestUpdate();
  }

  private key(event: KeyboardEvent, offers: Offer[]): void {
    if (event.isComposing || !offers.length) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      this.at = (this.at + (event.key === 'ArrowDown' ? 1 : offers.length - 1)) % offers.length;
      this.requestUpdate();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      this.take(offers[this.at]!);
    }
  }

  private take(offer: Offer): void {
    this.turn(false);
    this.at = 0;
    view.query = '';
    offer.act();
    store.changed();
  }
}

/** Agents first, and what may be done to them where the first word says so; then what the page itself can do. */
function offered(found: Set<string> | null): Offer[] {
  const query = view.query.trim().toLocaleLowerCase();
  if (!query) return [];
  const rest = withoutVerb(query);
  const verb = rest === query ? null : VERBS.find((one) => query.startsWith(one));
  const acts = verb && !(store.past && verb !== 'ask') ? TO_AGENTS[verb] : null;
  const agents = [...(found ?? [])].filter((id) => !acts || mayAct(id)).slice(0, AGENTS_MAX).map((id) => store.org.agents.get(id)!);
  const to = acts ?? { words: '', act: open };
  const words = query.split(/\s+/);
  const commands = COMMANDS.filter((one) => one.there() && words.every((word) => `${one.words} ${one.also}`.toLocaleLowerCase().includes(word)));
  const rows = agents.map((agent): Offer => {
    const facts = factsOf(store.org, agent, store.now);
    return { key: agent.id, glyph: facts.glyph, words: to.words ? `${to.words} ${facts.name}` : facts.name, more: facts.now, act: () => to.act(agent) };
  });
  return [...rows, ...commands.map((one): Offer => ({ key: one.words, glyph: '›', words: one.words, more: one.words === 'Inbox' ? needWords(needsCount()) : '', act: one.act }))]
    .slice(0, OFFERED_MAX)
    .map((offer) => ({ ...offer, more: clip(offer.more, 60) }));
}

customElements.define('search-or-do', SearchOrDo);
