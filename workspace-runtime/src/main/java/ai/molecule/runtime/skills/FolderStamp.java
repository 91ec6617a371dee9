package ai.molecule.runtime.skills;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Tells whether files have changed without reading them. */
public final class FolderStamp {

    /** More are not looked at. */
    private static final int ENTRIES_MAX = 2_000;

    /** {@code plugins/<name>/skills/<name>/SKILL.md} */
    private static final int DEPTH_MAX = 5;

    private FolderStamp() {}

    /** Another number as soon as a file came, went, or was written; hidden ones do not count. */
    public static long of(Path... places) {
        List<Object> seen = new ArrayList<>();
        for (Path place : places) {
            try (Stream<Path> entries = Files.walk(place, DEPTH_MAX, FileVisitOption.FOLLOW_LINKS)) {
                entries.filter(entry -> !place.relativize(entry).toString().startsWith("."))
                        .limit(ENTRIES_MAX)
                        .sorted()
                        .forEach(entry -> note(entry, seen));
            } catch (IOException | UncheckedIOException absentOrInMotion) {
                seen.add(place);
            }
        }
        long stamp = 1;
        for (Object each : seen) {
            stamp = 31 * stamp + each.hashCode();
        }
        return stamp;
    }

    private static void note(Path entry, List<Object> seen) {
        seen.add(entry);
        try {
            if (!Files.isDirectory(entry)) {
                seen.add(Files.getLastModifiedTime(entry));
                seen.add(Files.size(entry));
            }
        } catch (IOException gone) {
            // the next look shows it
        }
    }
}
