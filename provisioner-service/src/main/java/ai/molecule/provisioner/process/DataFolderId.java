package ai.molecule.provisioner.process;

import ai.molecule.common.net.HostName;
import ai.molecule.provisioner.backend.AgentHost;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Which data folder of which machine this is: by an id in the folder, its path and the machine's name, so a copy of it is another. */
final class DataFolderId {

    private static final String FILE = "provisioner-id";

    private DataFolderId() {}

    static AgentHost of(Path data) throws IOException {
        Files.createDirectories(data);
        Path folder = data.toRealPath();
        String host = HostName.ofThisMachine();
        return new AgentHost(host + ":" + folder + ":" + idIn(folder), "%s, data folder %s".formatted(host, folder));
    }

    /** Written whole before it gets its name: two provisioners may start at once. */
    private static String idIn(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            Path written = Files.writeString(
                    Files.createTempFile(folder, FILE, ".new"),
                    UUID.randomUUID().toString());
            try {
                Files.createLink(file, written);
            } catch (FileAlreadyExistsException another) {
                // that one counts
            } finally {
                Files.deleteIfExists(written);
            }
        }
        return Files.readString(file).strip();
    }
}
