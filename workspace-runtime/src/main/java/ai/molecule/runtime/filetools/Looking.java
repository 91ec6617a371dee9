package ai.molecule.runtime.filetools;

import ai.molecule.runtime.tools.Excerpt;
import ai.molecule.runtime.tools.ToolRefusal;
import com.google.re2j.Pattern;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** One look through a folder and those below it, within a time and a number of files. */
final class Looking {

    static final int HITS_MAX = 200;

    private static final Duration TIME_MAX = Duration.ofSeconds(20);
    private static final int FILES_MAX = 50_000;
    private static final int LINE_SHOWN_CHARS = 300;

    /** Large, or kept by agents for themselves, and never what is looked for. */
    private static final Set<String> PASSED_OVER = Set.of(".git", "node_modules", ".molecule");

    private final WorkFolder folder;
    private final long deadlineNanos = System.nanoTime() + TIME_MAX.toNanos();
    private final List<String> hits = new ArrayList<>();
    private String note = "";

    Looking(WorkFolder folder) {
        this.folder = folder;
    }

    /** Paths that the pattern fits whole. */
    String glob(String start, Pattern pattern) {
        for (String path : files(start)) {
            if (hits.size() < HITS_MAX && pattern.matcher(timed(path)).matches()) {
                hits.add(path);
            }
        }
        return told("No file fits.");
    }

    /** Lines in which the pattern is found. @param files the paths that are looked into */
    String search(String start, Pattern pattern, Pattern files) {
        for (String path : files(start)) {
            if (hits.size() >= HITS_MAX || isLate()) {
                break;
            }
            if (files.matcher(timed(path)).matches()) {
                searchFile(path, pattern);
            }
        }
        return told("No line fits.");
    }

    private void searchFile(String path, Pattern pattern) {
        String text;
        try {
            text = FileTools.text(folder.read(path), path);
        } catch (ToolRefusal passedOver) {
            return;
        }
        int number = 0;
        for (String line : (Iterable<String>) text.lines()::iterator) {
            number++;
            if (hits.size() < HITS_MAX && found(pattern, line)) {
                hits.add(path + ":" + number + ": " + Excerpt.of(line.strip(), LINE_SHOWN_CHARS));
            }
        }
    }

    private boolean found(Pattern pattern, String line) {
        try {
            return pattern.matcher(timed(line)).find();
        } catch (StackOverflowError tooNested) {
            throw new ToolRefusal("the pattern goes too deep; use a simpler one");
        }
    }

    /** All files below, a folder after the other. */
    private List<String> files(String start) {
        List<String> files = new ArrayList<>();
        Deque<String> folders = new ArrayDeque<>(List.of(start));
        while (!folders.isEmpty() && files.size() < FILES_MAX && !isLate()) {
            String at = folders.removeFirst();
            for (WorkFolder.Entry entry : entries(at, at.equals(start))) {
                String path = at.isEmpty() ? entry.name() : at + "/" + entry.name();
                if (entry.kind() == WorkFolder.Kind.FILE) {
                    files.add(path);
                } else if (entry.kind() == WorkFolder.Kind.FOLDER
                        && !PASSED_OVER.contains(entry.name())
                        && folders.size() < FILES_MAX) {
                    folders.addLast(path);
                }
            }
        }
        if (!folders.isEmpty()) {
            note = "\n[there are more files than were looked at; name a smaller folder]";
        }
        return files;
    }

    private List<WorkFolder.Entry> entries(String path, boolean isStart) {
        try {
            return folder.list(path);
        } catch (ToolRefusal refused) {
            if (isStart) {
                throw refused;
            }
            return List.of(); // too deep, or gone meanwhile
        }
    }

    private boolean isLate() {
        return System.nanoTime() - deadlineNanos > 0;
    }

    private TimedText timed(String text) {
        return new TimedText(text, deadlineNanos);
    }

    private String told(String nothing) {
        if (hits.size() >= HITS_MAX) {
            note = "\n[only the first " + HITS_MAX + " are shown]";
        } else if (isLate()) {
            note = "\n[the time was over before everything was looked at]";
        }
        return (hits.isEmpty() ? nothing : String.join("\n", hits)) + note;
    }
}
