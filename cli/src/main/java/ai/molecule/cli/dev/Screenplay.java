package ai.molecule.cli.dev;

import ai.molecule.cli.Printable;
import ai.molecule.runtime.agent.ModelTurn;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.ToolUse;
import java.io.PrintStream;

/** Shows what an agent says as it says it, and between the words what it does and what each step costs. */
final class Screenplay implements Reply {

    private static final int SHOWN_MAX_CHARS = 90;
    private static final String BESIDE = "  · ";
    private static final String SUM = "  = ";

    private final PrintStream out;
    private final Bill bill;
    private boolean inLine;
    private int tools;

    Screenplay(PrintStream out, Bill bill) {
        this.out = out;
        this.bill = bill;
    }

    @Override
    public synchronized void chunk(String text) {
        String words = inLine ? text : text.stripLeading(); // turns are divided by lines that are drawn here
        if (!words.isEmpty()) {
            out.print(Printable.text(words));
            out.flush();
            inLine = !words.endsWith("\n");
        }
    }

    @Override
    public void text(String text) {
        chunk(text);
    }

    @Override
    public void ask(String question) {
        beside("asks:");
        chunk(question);
    }

    @Override
    public void step(String what) {
        beside(what);
    }

    @Override
    public void used(ToolUse tool) {
        tools++;
        beside(tool.tool() + " " + shown(tool.input()) + "  →  " + shown(tool.outputPreview()));
    }

    @Override
    public void turned(ModelTurn turn) {
        beside(bill.add(turn));
    }

    /** In a line of its own. */
    synchronized void beside(String what) {
        end();
        out.println(BESIDE + Printable.line(what));
    }

    /** What all of it came to. */
    synchronized void sum(String what) {
        end();
        out.println(SUM + Printable.line(what));
    }

    /** What was begun is a line. */
    synchronized void end() {
        if (inLine) {
            out.println();
            inLine = false;
        }
    }

    int tools() {
        return tools;
    }

    private static String shown(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= SHOWN_MAX_CHARS ? line : line.substring(0, SHOWN_MAX_CHARS) + "…";
    }
}
