package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.LogTail;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * What an agent printed: {@code agent.log}, and the one before in {@code agent.log.1}. The agent appends by itself, so its log
 * outlives the provisioner.
 */
record AgentLog(Path file, long bytesMax) {

    /** Beyond this the log is cut at the next sweep; with the older file an agent keeps at most about twice as much. */
    static final long BYTES_MAX = 10L * 1024 * 1024;

    static AgentLog of(AgentFolder folder) {
        return new AgentLog(folder.log(), BYTES_MAX);
    }

    /** Makes room for a new process: its log starts empty. */
    void rotate() throws IOException {
        if (Files.exists(file)) {
            Files.move(file, older(), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Empties a log that grew too long, keeping its end; lines printed between the copy and the cut are lost. */
    void trim() throws IOException {
        if (!Files.exists(file) || Files.size(file) <= bytesMax) {
            return;
        }
        try (var from = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var to = FileChannel.open(
                        older(),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            long size = from.size();
            long position = Math.max(0, size - bytesMax);
            while (position < size) {
                position += from.transferTo(position, size - position, to);
            }
            from.truncate(0); // the agent appends, so it goes on at the new end
        }
    }

    String tail() throws IOException {
        if (!Files.exists(file)) {
            return "";
        }
        try (var log = new RandomAccessFile(file.toFile(), "r")) {
            long start = Math.max(0, log.length() - LogTail.BYTES_MAX);
            byte[] bytes = new byte[(int) (log.length() - start)];
            log.seek(start);
            log.readFully(bytes);
            return LogTail.of(bytes, start > 0);
        }
    }

    private Path older() {
        return file.resolveSibling(file.getFileName() + ".1");
    }
}
