import { html, type TemplateResult } from 'lit';
import './hold.css';

/** A button for what cannot be undone: a finger holds it, as a slip of one is no decision; a mouse and a keyboard press it as ever. */

export const HOLD_MILLIS = 600;

let held = 0;

/** @param says what a person hears of it; null for the words on it */
export function holdButton(words: string, act: () => void, more: { css?: string; says?: string; disabled?: boolean } = {}): TemplateResult {
  const letGo = (event: Event): void => {
    clearTimeout(held);
    (event.currentTarget as HTMLElement).classList.remove('held');
  };
  const touch = (event: PointerEvent): void => {
    if (event.pointerType !== 'touch') return;
    const button = event.currentTarget as HTMLButtonElement;
    clearTimeout(held);
    button.classList.add('held', 'touched');
    held = window.setTimeout(() => {
      button.classList.remove('held', 'touched');
      act();
    }, HOLD_MILLIS);
  };
  return html`<button type="button" class="holdable ${more.css ?? ''}" ?disabled=${more.disabled} aria-label=${more.says ?? words}
    @pointerdown=${touch} @pointerup=${letGo} @pointercancel=${letGo} @pointerleave=${letGo} @contextmenu=${(event: Event) => event.preventDefault()}
    @click=${(event: MouseEvent) => { if ((event as PointerEvent).pointerType !== 'touch') act(); }}>${words}<span class="hint-hold" aria-hidden="true">hold</span></button>`;
}
