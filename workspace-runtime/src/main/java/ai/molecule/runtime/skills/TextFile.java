package ai.molecule.runtime.skills;

import ai.molecule.sdk.ByteOrderMark;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A text for a prompt. */
public final class TextFile {

    /** A larger one is left out: nobody meant a model to read it. */
    public static final int BYTES_MAX = 64 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(TextFile.class);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._ -]{0,127}");

    private TextFile() {}

    /** Without the white space around it; empty when there is none, it is too large, or it cannot be read. */
    public static Optional<String> read(Path file) {
        try {
            if (!Files.isRegularFile(file)) {
                return Optional.empty();
            }
            if (Files.size(file) > BYTES_MAX) {
                LOGGER.atWarn().addKeyValue("file", file).log("file is larger than 64 KiB and left out");
                return Optional.empty();
            }
            return Optional.of(ByteOrderMark.strip(new String(Files.readAllBytes(file), StandardCharsets.UTF_8))
                    .replace("\r\n", "\n")
                    .strip());
        } catch (IOException e) {
            LOGGER.atWarn().addKeyValue("file", file).setCause(e).log("file cannot be read and is left out");
            return Optional.empty();
        }
    }

    /** What a folder holds, by name; hidden entries and strange names are passed over. Nothing when it is no folder. */
    static List<Path> in(Path folder, int entriesMax) {
        List<Path> entries = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return entries;
        }
        try (DirectoryStream<Path> list = Files.newDirectoryStream(folder)) {
            for (Path entry : list) {
                if (NAME.matcher(nameOf(entry)).matches()) {
                    entries.add(entry);
                }
            }
        } catch (IOException e) {
            LOGGER.atWarn().addKeyValue("folder", folder).setCause(e).log("folder cannot be listed");
        }
        entries.sort(null);
        return entries.size() <= entriesMax ? entries : entries.subList(0, entriesMax);
    }

    static String nameOf(Path path) {
        return String.valueOf(path.getFileName());
    }

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }
}
