package ai.molecule.provisioner;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.provisioner.backend.BackendKind;
import ai.molecule.provisioner.plugins.PluginSettings;
import ai.molecule.provisioner.process.ProcessSettings;
import ai.molecule.provisioner.reconcile.ReconcileSettings;
import ai.molecule.provisioner.reconcile.RestartSchedule;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Everything the provisioner reads from its environment.
 *
 * @param port {@code PROVISIONER_PORT}, default 8083; 0 lets the system choose
 * @param backend {@code MOLECULE_BACKEND}: process or none, default none
 * @param templates {@code CONFIGS_DIR}, default {@code templates} in the data folder: what workspaces are made from
 * @param process for the process backend: {@code MOLECULE_DATA} (required with it), {@code MOLECULE_RUNTIME_JAR} (required with
 *     it), {@code PLATFORM_URL} (default http://127.0.0.1:8080), {@code MOLECULE_AGENT_LIFELINE}, {@code PATH}, {@code LANG},
 *     {@code MOLECULE_HEARTBEAT_SECONDS} (default 30), {@code MOLECULE_STOP_SECONDS} (default 5)
 * @param reconcile {@code MOLECULE_SWEEP_SECONDS} (default 15), {@code MOLECULE_PROVISION_TIMEOUT_SECONDS} (default 600)
 * @param plugins see {@link PluginSettings}
 */
public record ProvisionerConfig(
        PlatformConfig platform,
        int port,
        BackendKind backend,
        Path templates,
        ProcessSettings process,
        ReconcileSettings reconcile,
        PluginSettings plugins) {

    /** {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static ProvisionerConfig fromEnv(Map<String, String> variables) {
        var env = new Env(variables);
        var backend = BackendKind.of(env.find("MOLECULE_BACKEND"));
        if (backend == BackendKind.PROCESS) {
            env.required("MOLECULE_DATA");
            env.required("MOLECULE_RUNTIME_JAR");
        }
        var data = Path.of(env.text("MOLECULE_DATA", ".molecule")).toAbsolutePath();
        return new ProvisionerConfig(
                PlatformConfig.fromEnv(variables),
                env.port("PROVISIONER_PORT", 8083),
                backend,
                Objects.requireNonNullElse(absolute(env.find("CONFIGS_DIR")), data.resolve("templates")),
                new ProcessSettings(
                        data,
                        absolute(env.find("MOLECULE_RUNTIME_JAR")),
                        env.text("PLATFORM_URL", "http://127.0.0.1:8080"),
                        absolute(env.find("MOLECULE_AGENT_LIFELINE")),
                        env.text("PATH", "/usr/local/bin:/usr/bin:/bin"),
                        env.text("LANG", "C.UTF-8"),
                        env.seconds("MOLECULE_HEARTBEAT_SECONDS", 30),
                        env.seconds("MOLECULE_STOP_SECONDS", 5)),
                new ReconcileSettings(
                        env.seconds("MOLECULE_SWEEP_SECONDS", 15),
                        env.seconds("MOLECULE_PROVISION_TIMEOUT_SECONDS", 600),
                        RestartSchedule.STANDARD),
                PluginSettings.fromEnv(env));
    }

    private static @Nullable Path absolute(@Nullable String path) {
        return path == null ? null : Path.of(path).toAbsolutePath();
    }
}
