package ai.molecule.cli.logs;

import ai.molecule.cli.Printable;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.http.PlatformApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Knows where whose log lies. */
record LogFinder(DataFolder data) {

    /** The log of a service by its name, else of an agent by its id or name. */
    Optional<Path> find(String name) {
        if (name.isEmpty() || name.startsWith(".") || name.contains("/")) {
            return Optional.empty(); // names are not paths
        }
        Path service = data.log(name);
        if (Files.isRegularFile(service)) {
            return Optional.of(service);
        }
        return ofAgent(name).or(() -> idOf(name).flatMap(this::ofAgent));
    }

    private Optional<Path> ofAgent(String id) {
        return Optional.of(data.workspaces().resolve(id).resolve("log").resolve("agent.log"))
                .filter(Files::isRegularFile);
    }

    /** The id of an agent by its id or name, whether it has a log here or not. */
    String idOfAgent(String name) {
        return idOf(name).orElse(name);
    }

    /** Asks the running platform; when it does not run, an agent is known by its id only. */
    private Optional<String> idOf(String agentName) {
        return RunFile.read(data.runFile()).flatMap(running -> {
            try (var api = PlatformApi.of(running.url(), data, System.getenv())) {
                return api.agents().stream()
                        .filter(agent -> agent.name().equals(Printable.line(agentName)))
                        .map(agent -> agent.id())
                        .findFirst();
            } catch (IOException e) {
                return Optional.empty();
            }
        });
    }
}
