package ai.molecule.provisioner.docker;

import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** What the engine says about a path without following a link at its end. */
record FileState(Kind kind, long size) {

    enum Kind {
        ABSENT,
        FOLDER,
        FILE,
        OTHER
    }

    static final String HEADER = "X-Docker-Container-Path-Stat";

    static final FileState ABSENT = new FileState(Kind.ABSENT, 0);

    /** Of Go's {@code io/fs.FileMode}, in which the engine answers. */
    private static final long DIRECTORY = 1L << 31;

    /** Everything that is no regular file: folders, links, pipes, sockets, devices, and what has no name. */
    private static final long NO_FILE = DIRECTORY | 1L << 27 | 1L << 26 | 1L << 25 | 1L << 24 | 1L << 21 | 1L << 19;

    static FileState of(String header) {
        var stat = new JsonObject(new String(Base64.getDecoder().decode(header), StandardCharsets.UTF_8));
        long mode = stat.getLong("mode");
        var kind = (mode & DIRECTORY) != 0 ? Kind.FOLDER : (mode & NO_FILE) == 0 ? Kind.FILE : Kind.OTHER;
        return new FileState(kind, stat.getLong("size", 0L));
    }
}
