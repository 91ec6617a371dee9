package ai.molecule.runtime.filetools;

import ai.molecule.runtime.tools.Arguments;
import ai.molecule.runtime.tools.Excerpt;
import ai.molecule.runtime.tools.Schema;
import ai.molecule.runtime.tools.Section;
import ai.molecule.runtime.tools.ToolRefusal;
import ai.molecule.runtime.tools.ToolSpec;
import com.google.re2j.Pattern;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * {@code read}, {@code write}, {@code edit}, {@code list}, {@code glob} and {@code search} in the workspace's folder. One works at a time,
 * so that two edits of one agent lose nothing, and a file is in memory once; what several agents do in one folder, {@link FolderLeases} puts in an
 * order, and {@link SeenFiles} keeps one from replacing what it has not read.
 */
public final class FileTools {

    private static final int SHOWN_MAX_CHARS = 50_000;
    private static final int LINES_MAX = 2_000;
    private static final int LISTED_MAX = 1_000;
    private static final String PATH = "From the workspace's folder, such as src/Main.java.";
    private static final String START = "The folder to look in; the whole workspace when left out.";

    private final WorkFolder folder;
    private final ReentrantLock atWork = new ReentrantLock(true);

    private interface Job {
        String on(Arguments arguments);
    }

    private final SeenFiles seen = new SeenFiles();

    private FileTools(WorkFolder folder) {
        this.folder = folder;
    }

    /**
     * @param hidden folders that may lie inside and are no business of the model
     * @param output the one folder inside in which files may be changed; empty for any
     * @param holder what other agents that share the folder are told of who changes a file
     * @throws IOException when there is no such folder
     */
    public static List<ToolSpec> in(Path folder, List<Path> hidden, String output, String holder) throws IOException {
        return new FileTools(new WorkFolder(folder, hidden, output, holder)).specs();
    }

    private List<ToolSpec> specs() {
        return List.of(
                tool(
                        "read",
                        "Read a text file of the workspace, " + LINES_MAX + " lines at a time.",
                        new Schema()
                                .required("path", PATH)
                                .optional("from_line", "integer", "The first line to read; 1 when left out.")
                                .optional("lines", "integer", "How many; " + LINES_MAX + " when left out."),
                        this::read),
                tool(
                        "write",
                        "Write a text file of the workspace, whole, in the place of what is there. Folders on the way are made.",
                        new Schema().required("path", PATH).required("text", "All that the file shall hold."),
                        this::write),
                tool(
                        "edit",
                        "Replace a piece of a text file of the workspace; read the file first.",
                        new Schema()
                                .required("path", PATH)
                                .required(
                                        "old_text",
                                        "What stands there, to the letter, and only once unless all is true.")
                                .required("new_text", "What shall stand there.")
                                .optional("all", "boolean", "Replace it wherever it stands."),
                        this::edit),
                tool(
                        "list",
                        "List a folder of the workspace.",
                        new Schema().optional("path", START),
                        arguments -> list(arguments.text("path"))),
                tool(
                        "glob",
                        "Find files of the workspace by their path.",
                        new Schema()
                                .required("pattern", "Such as **/*.java or src/{main,test}/*.md.")
                                .optional("path", START),
                        arguments -> new Looking(folder)
                                .glob(arguments.text("path"), Patterns.glob(arguments.text("pattern")))),
                tool(
                        "search",
                        "Find lines in text files of the workspace by a regular expression.",
                        new Schema()
                                .required(
                                        "pattern",
                                        "A regular expression of RE2, without lookaround and backreferences, found anywhere in a line.")
                                .optional("path", START)
                                .optional("glob", "Only in files whose path fits, such as **/*.java."),
                        this::search));
    }

    private ToolSpec tool(String name, String brief, Schema input, Job job) {
        ToolSpec.Action action = (toolbox, arguments) -> {
            atWork.lockInterruptibly();
            try {
                return job.on(arguments);
            } finally {
                atWork.unlock();
            }
        };
        return new ToolSpec(name, brief, "", input.json(), action, Section.OWN, false);
    }

    private String read(Arguments arguments) {
        String path = given(arguments, "path");
        byte[] bytes = folder.read(path);
        seen.saw(folder.normal(path), bytes);
        List<String> lines = text(bytes, path).lines().toList();
        int from = arguments.number("from_line", 1, 1, Integer.MAX_VALUE);
        int count = arguments.number("lines", LINES_MAX, 1, LINES_MAX);
        if (lines.isEmpty()) {
            return "(the file is empty)";
        }
        if (from > lines.size()) {
            throw new ToolRefusal(path + " has " + lines.size() + " lines");
        }
        int to = Math.min(lines.size(), from - 1 + count);
        String text = String.join("\n", lines.subList(from - 1, to));
        String shown = Excerpt.of(text, SHOWN_MAX_CHARS);
        String rest = shown.length() < text.length()
                ? "\n[cut after " + SHOWN_MAX_CHARS + " characters; ask for fewer lines]"
                : "\n[lines " + from + " to " + to + " of " + lines.size() + "]";
        return from == 1 && to == lines.size() && shown.length() == text.length() ? text : shown + rest;
    }

    private String write(Arguments arguments) {
        String path = given(arguments, "path");
        byte[] bytes = given(arguments, "text").getBytes(StandardCharsets.UTF_8);
        String name = folder.normal(path);
        folder.change(path, byAnother -> {
            if (folder.exists(path)) {
                seen.requireKnown(name, byAnother, () -> folder.read(path));
            }
            return bytes;
        });
        seen.saw(name, bytes);
        return "Written: " + path + ", " + bytes.length + " bytes.";
    }

    private String edit(Arguments arguments) {
        String path = given(arguments, "path");
        String before = given(arguments, "old_text");
        String after = given(arguments, "new_text");
        if (before.isEmpty() || before.equals(after)) {
            throw new ToolRefusal("old_text must not be empty, nor the same as new_text");
        }
        folder.change(path, byAnother -> {
            byte[] now = folder.read(path);
            byte[] edited =
                    edited(path, text(now, path), before, after, arguments).getBytes(StandardCharsets.UTF_8);
            seen.replaced(folder.normal(path), now, edited);
            return edited;
        });
        return "Edited: " + path + ".";
    }

    private static String edited(String path, String text, String before, String after, Arguments arguments) {
        int first = text.indexOf(before);
        if (first < 0) {
            throw new ToolRefusal("old_text does not stand in " + path + "; read it again, blanks count");
        }
        boolean all = arguments.json().path("all").asBoolean();
        if (!all && text.indexOf(before, first + 1) >= 0) {
            throw new ToolRefusal(
                    "old_text stands in " + path + " more than once; give more of what is around it, or all");
        }
        return all
                ? text.replace(before, after)
                : text.substring(0, first) + after + text.substring(first + before.length());
    }

    private String list(String path) {
        List<WorkFolder.Entry> entries = folder.list(path);
        String lines = entries.stream()
                .limit(LISTED_MAX)
                .map(entry -> switch (entry.kind()) {
                    case FOLDER -> entry.name() + "/";
                    case FILE -> entry.name() + "  " + entry.size() + " bytes";
                    case OTHER -> entry.name() + "  (link or device)";
                })
                .collect(Collectors.joining("\n"));
        return entries.isEmpty()
                ? "(the folder is empty)"
                : entries.size() <= LISTED_MAX ? lines : lines + "\n[only the first " + LISTED_MAX + " are shown]";
    }

    private String search(Arguments arguments) {
        String glob = arguments.text("glob");
        Pattern files = Patterns.glob(glob.isEmpty() ? "**" : glob);
        return new Looking(folder).search(arguments.text("path"), Patterns.regex(given(arguments, "pattern")), files);
    }

    /** To the letter. */
    private static String given(Arguments arguments, String key) {
        String text = arguments.json().path(key).textValue();
        if (text == null) {
            throw new ToolRefusal(key + " must be given, as a text");
        }
        return text;
    }

    /** @throws ToolRefusal when the bytes are none */
    static String text(byte[] bytes, String path) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException binary) {
            throw new ToolRefusal(path + " is no text in UTF-8");
        }
    }
}
