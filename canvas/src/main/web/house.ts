import { html, type TemplateResult } from 'lit';
import './house.css';
import { drawIncoming } from './incoming';
import { drawLimits } from './limits';
import { drawPolicy } from './policy';
import { drawRules } from './rules';
import { store } from './store';
import { drawTold } from './told';
import { Part, look } from './view';

/** What holds for the organisation as a whole: the rules its agents read, those that refuse calls, who is told of what waits, and what others may send. */
class HouseScreen extends Part {
  override render(): TemplateResult {
    return html`<div class="house-page">
      <header><h2>Settings</h2><p class="none">${store.past ? 'Shown as it is now. Past settings are not kept.' : 'Instructions, policies, spending limits, notifications and incoming webhooks of the organization.'}</p></header>
      ${drawRules()} ${drawPolicy()} ${drawLimits()} ${drawTold()} ${drawIncoming()}
    </div>`;
  }
}

/** Of the screen, which is drawn first. */
export function toPart(part: 'policy' | 'who-is-told' | 'incoming'): void {
  look({ screen: 'house' });
  requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector(`.house-page .${part}`)?.scrollIntoView({ block: 'start' })));
}

customElements.define('house-screen', HouseScreen);
