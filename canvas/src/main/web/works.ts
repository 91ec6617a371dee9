import { html, nothing, type TemplateResult } from 'lit';
import { stateOf } from './held';
import { workThen } from './past';
import { repeat } from './repeat';
import { mayAsk } from './rights';
import { store } from './store';
import { Part, look, view } from './view';
import { works, type Work, type WorkState } from './work';
import { MOODS, STOPPED, clip, clock, counted, elapsed, money, type Mood } from './words';
import './piece';
import './works.css';

/** How a state of work looks and reads: the moods of agents, and the three ends. */
export const STATES: Record<WorkState, { mood: Mood; glyph: string; word: string }> = {
  needs_you: { mood: 'needs', glyph: MOODS.needs.glyph, word: 'needs you' },
  working: { mood: 'working', glyph: MOODS.working.glyph, word: 'working' },
  done: { mood: 'idle', glyph: '✓', word: 'done' },
  stopped: STOPPED,
  failed: { mood: 'failed', glyph: MOODS.failed.glyph, word: 'failed' },
};

const GROUPS: { words: string; holds: (work: Work) => boolean }[] = [
  { words: 'Needs you', holds: (work) => stateOf(work) === 'needs_you' },
  { words: 'Running', holds: (work) => stateOf(work) === 'working' },
  { words: 'Finished', holds: (work) => work.state !== 'needs_you' && work.state !== 'working' },
];

/** What did I ask for, how far is it, what did it cost, what came out. */
class Works extends Part {
  override render(): TemplateResult {
    works.recall();
    void works.look(view.work);
    if (view.work) return html`<piece-of-work></piece-of-work>`;
    const known = store.past ? works.list.flatMap((work) => workThen(work, store.now) ?? []) : works.list;
    return html`
      <div class="works">
        <header>
          <h2>Runs</h2>
          <p class="none">What people, schedules and webhooks asked for, newest first. A message to an agent starts a run.</p>
          ${mayAsk() ? html`<button class="primary" ?disabled=${!!store.past || !store.live.agents.size} @click=${() => look({ dialog: { kind: 'ask', id: '' } })}>New run</button>` : nothing}
        </header>
        ${works.state === 'reading' || works.state === 'unread' ? html`<p class="none">Reading…</p>` : nothing}
        ${works.state !== 'reading' && works.state !== 'unread' && works.state !== 'read'
          ? html`<p class="none">Runs cannot be read now: ${works.state} <button @click=${() => void works.read()}>Try again</button></p>` : nothing}
        ${works.state === 'read' && !known.length ? html`<p class="nothing">${store.past ? 'No runs at that time.' : mayAsk() ? 'No runs yet. Start one here, or write to an agent.' : 'No runs yet.'}</p>` : nothing}
        ${GROUPS.map((group) => this.drawGroup(group.words, known.filter(group.holds)))}
        ${works.more ? html`<button class="older" @click=${() => void works.readMore()}>Load more</button>` : nothing}
      </div>
    `;
  }

  private drawGroup(words: string, all: Work[]): TemplateResult | typeof nothing {
    if (!all.length) return nothing;
    const { now } = store;
    return html`
      <section aria-label=${words}>
        <h3>${words} <span>${all.length}</span></h3>
        ${repeat(all, (one) => one.id, (one) => drawRow(one, now))}
      </section>
    `;
  }
}

function drawRow(work: Work, now: number): TemplateResult {
  const state = STATES[stateOf(work)] ?? STATES.working;
  const begin = Date.parse(work.created_at);
  const took = elapsed((work.ended_at ? Date.parse(work.ended_at) : now) - begin);
  return html`
    <button class="piece mood-${state.mood}" data-work=${work.id} @click=${() => look({ screen: 'work', work: work.id })}>
      <span class="glyph" aria-hidden="true">${state.glyph}</span><span class="unseen">${state.word}: </span>
      <span class="title" dir="auto">${clip(work.title, 200)}</span>
      <span class="to" dir="auto">${clip(store.live.agents.get(work.to)?.name ?? 'Deleted agent', 60)}</span>
      <span class="cost">${costOf(work)}</span>
      <span class="took" title="how long">${took}</span>
      <span class="time">${clock(begin, now)}</span>
    </button>
  `;
}

/** What it cost, and how much it may; nothing where nobody tells of it. Of one that says not whether all was metered, who has it does. */
export function costOf(work: Pick<Work, 'cost' | 'limit' | 'metered' | 'to'>): string {
  const metered = work.metered ?? store.live.agents.get(work.to)?.metered;
  const most = work.limit === null ? '' : money(work.limit);
  const cost = work.cost ? counted(money(work.cost), false, metered) : work.cost === 0 || metered === false ? counted('$0.00', true, metered) : '';
  if (!most) return cost;
  return work.cost !== null && metered !== false ? `${cost} of ${most}` : [cost, `at most ${most}`].filter((part) => part).join(', ');
}

customElements.define('work-screen', Works);
