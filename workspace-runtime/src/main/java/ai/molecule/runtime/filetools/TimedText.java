package ai.molecule.runtime.filetools;

import ai.molecule.runtime.tools.ToolRefusal;

/** A text that stops being readable at a time: a long line and a large pattern may take longer than somebody waits. */
record TimedText(CharSequence text, long deadlineNanos) implements CharSequence {

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        if (System.nanoTime() - deadlineNanos > 0) {
            throw new ToolRefusal("the pattern takes too long; use a simpler one, or a smaller folder");
        }
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return new TimedText(text.subSequence(start, end), deadlineNanos);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
