import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { pause, putToSleep, release, restart, resume, wake } from './actions';
import type { ChatFile } from './chatfiles';
import { ofTheClock } from './clockwords';
import { takeBack } from './composer';
import { drawExplain } from './explain';
import { factsOf, spentBy, statusOf } from './facts';
import { stateOf } from './held';
import type { Agent } from './model';
import { needWords, needsCount } from './needs';
import { peersUnder } from './organisation';
import { ownerOf } from './owners';
import './panel.css';
import { drawInside } from './inside';
import { repeat } from './repeat';
import { mayAct, onlyLooks } from './rights';
import { drawSettings } from './settings';
import { store } from './store';
import { peopleIn, talk, type Turn } from './talk';
import { Part, look, saves, view, type Tab } from './view';
import { pathOf, works } from './work';
import { STATES, costOf } from './works';
import { MOODS, clip, clock, count, dollars, elapsed, runsOn, statusWord } from './words';

/** Who may be put to sleep. */
const SLEEPY = new Set(['online', 'degraded']);
const STARTABLE = new Set(['online', 'degraded', 'offline', 'failed', 'hibernated', 'provisioning']);

/** In place of what would be refused. */
const LOOKS = 'You can view this agent, not act on it.';

const TABS: [Tab, string][] = [
  ['talk', 'Chat'],
  ['work', 'Runs'],
  ['about', 'Settings'],
  ['inside', 'Logs & files'],
];

/** One agent: talk with it, and what there is to know and do about it. */
class Panel extends Part {
  private end = true;
  private shownOf = '';
  private said = '';
  private top = 0;

  override render(): TemplateResult {
    const agent = store.org.agents.get(view.selected ?? '');
    if (!agent) return html``;
    const facts = factsOf(store.org, agent, store.now);
    return html`
      <header>
        <span class="glyph mood-${facts.mood}" aria-hidden="true">${facts.glyph}</span>
        <div class="title">
          <h2 dir="auto">${facts.name}</h2>
          <p dir="auto">${facts.role}</p>
        </div>
        ${needsCount() ? html`<button class="waits mood-needs" @click=${() => look({ screen: 'needs', waits: null, selected: null })}><b class="mood-needs" aria-hidden="true">▲</b> ${needWords(needsCount())}</button>` : nothing}
        <button class="close" aria-label="Close ${facts.name}" title="Close (Esc)" @click=${() => look({ selected: null })}>✕</button>
        <p class="state mood-${facts.mood}"><span dir="auto">${facts.mood === 'needs' && onlyLooks() ? 'in inbox' : MOODS[facts.mood].word}${facts.now === MOODS[facts.mood].word ? '' : `: ${facts.now}`}</span> <span class="time">${facts.time}</span></p>
      </header>
      <div class="tabs" role="tablist" aria-label="About ${facts.name}">
        ${TABS.map(([name, words]) => this.tab(name, words))}
      </div>
      ${{ talk: () => this.drawTalk(agent), work: () => this.drawWork(agent), about: () => this.drawAbout(agent), inside: () => this.drawInside(agent) }[view.tab]()}
    `;
  }

  private tab(name: Tab, words: string): TemplateResult {
    const on = view.tab === name;
    return html`<button role="tab" id="tab-${name}" aria-selected=${on ? 'true' : 'false'} aria-controls="tab-panel" tabindex=${on ? 0 : -1}
      @click=${() => look({ tab: name })}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        const here = TABS.findIndex(([one]) => one === name);
        const other = TABS[(here + (event.key === 'ArrowRight' ? 1 : TABS.length - 1)) % TABS.length]![0];
        look({ tab: other });
        this.querySelector<HTMLElement>(`#tab-${other}`)?.focus();
      }}>${words}</button>`;
  }

  private drawTalk(agent: Agent): TemplateResult {
    const conversation = talk.with(agent.id);
    void talk.recall(agent.id);
    const asks = peersUnder(store.org.agents, agent, agent.parent_id ?? null).size;
    const kept = conversation.history;
    const first = conversation.begun ? conversation.turns.find((turn) => turn.at >= conversation.begun) : undefined;
    return html`
      <div class="talk" role="tabpanel" id="tab-panel" aria-labelledby="tab-talk">
        ${conversation.turns.some((turn) => turn.from !== 'you' && turn.from !== 'agent') ? html`
          <label class="people"><input type="checkbox" .checked=${conversation.peopleOnly} @change=${(event: Event) => { conversation.peopleOnly = (event.target as HTMLInputElement).checked; store.changed(); }} /> Hide agent messages</label>` : nothing}
        <div class="thread" tabindex="0" role="log" aria-live="off" aria-label="Messages" @scroll=${this.scrolled}>
          ${kept === 'reading' || kept === 'unread' ? html`<p class="none">Loading messages…</p>` : nothing}
          ${kept !== 'reading' && kept !== 'unread' && kept !== 'read' ? html`<p class="none">Earlier messages cannot be read now: ${kept} <button @click=${() => talk.recall(agent.id)}>Try again</button></p>` : nothing}
          ${kept === 'read' && !conversation.turns.length ? html`<p class="none">No messages yet. ${agent.runtime === 'echo' ? 'This agent has no model and repeats what it receives.' : ''}</p>` : nothing}
          ${repeat(conversation.peopleOnly ? peopleIn(conversation.turns) : conversation.turns, (turn) => turn.key, (turn) => this.drawTurn(agent, turn, turn === first))}
          ${conversation.begun && !first ? html`<p class="anew">New conversation: the agent does not remember the messages above.</p>` : nothing}
          ${conversation.held ? html`<article class="turn you held"><p class="by"><b>You</b> <span>sent when the agent is done</span> <button @click=${() => takeBack(agent.id)}>Cancel</button></p><div class="words" dir="auto">${conversation.held}</div></article>` : nothing}
        </div>
        <p class="reach">${mayAct(agent.id) ? reachOf(agent, asks) : html`<span>${LOOKS}</span>`}
          ${mayAct(agent.id) && conversation.turns.length && !talk.isBusy(agent.id) && !store.past && (first || !conversation.begun) ? html`<button class="inline" @click=${() => talk.beginAnew(agent.id)}>New conversation</button>` : nothing}</p>
        ${mayAct(agent.id) ? html`<ask-composer .agent=${agent.id}></ask-composer>` : nothing}
      </div>
    `;
  }

  /** @param anew whether a conversation begins with it */
  private drawTurn(agent: Agent, turn: Turn, anew: boolean): TemplateResult {
    const other = turn.from !== 'you' && turn.from !== 'agent' ? store.org.agents.get(turn.from) : null;
    const who = turn.from === 'you' ? (ofTheClock(turn.key) ? 'Schedule' : 'You') : turn.from === 'agent' ? clip(agent.name, 60) : clip(other?.name ?? 'Another agent', 60);
    return html`
      ${anew ? html`<p class="anew">New conversation: the agent does not remember the messages above.</p>` : nothing}
      <article class="turn ${turn.from === 'agent' ? 'agent' : turn.from === 'you' ? 'you' : 'peer'} ${turn.state}">
        <p class="by"><b dir="auto">${who}</b> <span>${clock(turn.at, Date.now())}</span></p>
        ${turn.text ? html`<div class="words" dir="auto">${turn.text}</div>` : nothing}
        ${turn.files?.length ? html`<ul class="files" aria-label="Files">${turn.files.map((file) => drawFile(agent, file))}</ul>` : nothing}
        ${turn.state === 'streaming' ? html`<p class="note working">${turn.note || (turn.text ? 'Responding' : 'Working')}<span class="dots" aria-hidden="true">…</span></p>` : nothing}
        ${turn.state !== 'streaming' && turn.note ? html`<p class="note">${turn.note}</p>` : nothing}
        ${turn.from === 'agent' && turn.state !== 'streaming' ? drawSteps(turn) : nothing}
      </article>
    `;
  }

  private drawAbout(agent: Agent): TemplateResult {
    const facts = factsOf(store.org, agent, store.now);
    const parent = store.org.agents.get(agent.parent_id ?? '');
    const paused = agent.status === 'paused';
    const owner = ownerOf(store.org, agent);
    const may = [...peersUnder(store.org.agents, agent, agent.parent_id ?? null)].map((id) => clip(store.org.agents.get(id)!.name, 40));
    return html`
      <div class="about-agent" role="tabpanel" id="tab-panel" aria-labelledby="tab-about">
        ${facts.mood === 'failed' ? html`<p class="problem mood-failed" dir="auto"><b>${agent.status === 'failed' ? 'It cannot start.' : 'It has errors.'}</b> ${clip(agent.error, 1000) || statusWord(agent.status)}</p>` : nothing}
        ${mayAct(agent.id) ? html`<fieldset class="buttons" ?disabled=${!!store.past}>
          ${agent.quarantined
            ? html`<button @click=${() => release(agent)}>Release</button>`
            : paused
            ? html`<button @click=${() => resume(agent)}>Resume</button>`
            : html`<button ?disabled=${!STARTABLE.has(agent.status)} @click=${() => pause(agent)}>Pause</button>`}
          ${agent.status === 'hibernated' ? html`<button @click=${() => wake(agent)}>Wake</button>` : html`<button ?disabled=${paused || agent.status === 'awaiting_agent'} @click=${() => restart(agent)}>Restart</button>`}
          ${SLEEPY.has(agent.status) && agent.runtime !== 'external' ? html`<button title="It is stopped, and wakes on the next message" @click=${() => putToSleep(agent)}>Hibernate</button>` : nothing}
          <button @click=${() => look({ dialog: { kind: 'move', id: agent.id } })}>Move…</button>
          <span class="break"></span>
          ${agent.quarantined ? nothing : html`<button @click=${() => look({ dialog: { kind: 'cutoff', id: agent.id } })}>Quarantine…</button>`}
          <button class="danger" @click=${() => look({ dialog: { kind: 'delete', id: agent.id } })}>Delete…</button>
        </fieldset>` : html`<p class="none">${LOOKS}</p>`}
        <dl>
          <dt>Status</dt><dd>${statusOf(agent)}</dd>
          <dt>Team of</dt><dd dir="auto">${parent ? clip(parent.name, 80) : 'nobody: it leads'}</dd>
          ${owner ? html`<dt>Owner</dt><dd dir="auto">${owner}</dd>` : nothing}
          <dt>May talk to</dt><dd dir="auto">${may.length ? may.slice(0, 12).join(', ') + (may.length > 12 ? ` and ${may.length - 12} more` : '') : 'nobody'}</dd>
          <dt>Runs on</dt><dd>${runsOn(agent.runtime)}</dd>
          <dt>Size</dt><dd>${agent.tier}</dd>
          ${store.past ? nothing : html`<dt>Spent this month</dt><dd>${spentBy(agent)}${agent.budget_limit === null ? ', no limit' : ` of ${dollars(agent.budget_limit)}`}${agent.metered === false ? '. Its program has a login of its own' : ''}</dd>`}
          <dt>Id</dt><dd><code>${agent.id}</code></dd>
        </dl>
        ${drawExplain(agent)}
        ${drawSettings(agent)}
      </div>
    `;
  }

  private drawInside(agent: Agent): TemplateResult {
    return html`<div class="tab" role="tabpanel" id="tab-panel" aria-labelledby="tab-inside">${drawInside(agent)}</div>`;
  }

  /** What people asked of it. */
  private drawWork(agent: Agent): TemplateResult {
    works.recall();
    const all = works.list.filter((work) => work.to === agent.id).slice(0, 100);
    return html`
      <div class="about-agent" role="tabpanel" id="tab-panel" aria-labelledby="tab-work">
        ${all.length ? nothing : html`<p class="none">Nobody asked it for anything, as far as the newest ${works.list.length} reach.</p>`}
        <div>${all.map((work) => html`<button class="entry work mood-${STATES[stateOf(work)].mood}" @click=${() => look({ screen: 'work', work: work.id })}>
          <span class="glyph" aria-hidden="true">${STATES[stateOf(work)].glyph}</span><span class="who" dir="auto">${clip(work.title, 120)}</span>
          <span class="time">${clock(Date.parse(work.created_at), Date.now())}</span><span class="what">${STATES[stateOf(work)].word}</span></button>`)}</div>
      </div>
    `;
  }

  protected override updated(_changed: PropertyValues): void {
    const thread = this.querySelector('.thread');
    const turns = talk.with(view.selected ?? '').turns;
    const said = `${turns.length} ${turns.at(-1)?.text.length} ${turns.at(-1)?.note}`;
    const another = this.shownOf !== view.selected;
    if (!thread || (!another && said === this.said)) return;
    this.shownOf = view.selected ?? '';
    this.said = said;
    this.end ||= another;
    if (this.end) {
      thread.scrollTop = thread.scrollHeight;
      this.top = thread.scrollTop;
    }
  }

  /** New words scroll only who was at the end. */
  private readonly scrolled = (event: Event): void => {
    const thread = event.currentTarget as Element;
    const up = thread.scrollTop < this.top - 2; // growing words move nothing up, only people do
    this.top = thread.scrollTop;
    if (up) this.end = false;
    if (thread.scrollHeight - thread.scrollTop - thread.clientHeight < 40) this.end = true;
  };
}

/** Who will read what is written below, and what helps where nobody does. */
function reachOf(agent: Agent, asks: number): TemplateResult {
  const name = clip(agent.name, 60);
  if (agent.quarantined) return html`<span>${name} is quarantined and reads nothing.</span>`;
  if (agent.status === 'paused') return html`<span>${name} is paused and reads nothing.</span> ${store.past ? nothing : html`<button class="inline" @click=${() => resume(agent)}>Resume</button>`}`;
  if (agent.status === 'failed') return html`<span>${name} cannot start and reads nothing.</span> ${store.past ? nothing : html`<button class="inline" @click=${() => void restart(agent)}>Restart</button>`}`;
  return html`<span>${name} ${agent.status === 'hibernated' ? 'is hibernated and wakes on a message' : 'reads this'}${asks ? `. Can delegate to ${count(asks, 'agent')}` : ''}.</span>`;
}

/** Of this agent; what lies elsewhere is named. */
function drawFile(agent: Agent, file: ChatFile): TemplateResult {
  const path = pathOf(file.uri);
  const name = clip(file.name, 120);
  return html`<li>${path ? html`<a href="/workspaces/${agent.id}/chat/download?path=${encodeURIComponent(path)}" download=${name} dir="auto" @click=${saves}>${name}</a>` : html`<span dir="auto">${name}</span> <span class="none" dir="auto">${clip(file.uri, 200)}</span>`}</li>`;
}

const STEP_MAX = 500;

/** What it did for an answer, in one line that opens: how many steps, how long, what the piece of work cost. */
function drawSteps(turn: Turn): TemplateResult | typeof nothing {
  const steps = turn.steps ?? [];
  const work = works.list.find((one) => one.id === turn.workId);
  const facts = [steps.length ? count(steps.length, 'step') : '', turn.took && (steps.length || turn.took > SLOW_MILLIS) ? elapsed(turn.took) : '', work ? costOf(work) : ''].filter((fact) => fact).join(' · ');
  if (!steps.length) return facts ? html`<p class="took">${facts}</p>` : nothing;
  return html`<details class="steps"><summary>${facts}</summary>
    <ol>${steps.map((step) => html`<li><b dir="auto">${clip(step.tool, 80)}</b> <code dir="auto">${clip(step.input, STEP_MAX)}</code>${step.output ? html`<span class="none" dir="auto">${clip(step.output, STEP_MAX)}</span>` : nothing}</li>`)}</ol>
  </details>`;
}

/** Below, nobody asks how long it took. */
const SLOW_MILLIS = 10_000;

customElements.define('agent-panel', Panel);
