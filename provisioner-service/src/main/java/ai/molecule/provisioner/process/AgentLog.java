package ai.molecule.provisioner.process;

import ai.molecule.common.logs.AppendedLog;
import ai.molecule.provisioner.backend.LogTail;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * What an agent printed: {@code agent.log}, and the one before in {@code agent.log.1}, cut at a sweep. The agent appends by itself, so its
 * log outlives the provisioner.
 */
record AgentLog(Path file, long bytesMax) {

    static AgentLog of(AgentFolder folder) {
        return new AgentLog(folder.log(), AppendedLog.BYTES_MAX);
    }

    /** Makes room for a new process: its log starts empty. */
    void rotate() throws IOException {
        if (Files.exists(file)) {
            Files.move(file, printed().older(), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** See {@link AppendedLog#trim}. */
    void trim() throws IOException {
        printed().trim();
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

    private AppendedLog printed() {
        return new AppendedLog(file, bytesMax);
    }
}
