package ai.molecule.cli.up;

import ai.molecule.cli.data.DataFolder;
import java.nio.file.Path;
import java.util.List;

/** Sends the platform's logs to files, so that standard output stays the launcher's. */
final class Logs {

    private static final String CONFIGURATION = "logback.configurationFile";

    private Logs() {}

    /** For this JVM. Must come before the first logger. */
    static void into(DataFolder data) {
        System.setProperty("molecule.logs", data.logs().toString());
        System.setProperty(CONFIGURATION, "ai/molecule/cli/up/logback-launcher.xml");
    }

    /** As options of a service's JVM. */
    static List<String> ofService(Path log) {
        return List.of("-Dmolecule.log=" + log, "-D" + CONFIGURATION + "=ai/molecule/cli/up/logback-service.xml");
    }
}
