package ai.molecule.provisioner.backend;

import org.jspecify.annotations.Nullable;

/** {@code MOLECULE_BACKEND}: what agents run in. */
public enum BackendKind {
    PROCESS,
    DOCKER,
    KUBERNETES,
    NONE;

    /** Fails with {@link IllegalArgumentException} and one sentence for a backend there is not. */
    public static BackendKind of(@Nullable String value) {
        return switch (value == null ? "none" : value) {
            case "process" -> PROCESS;
            case "docker" -> DOCKER;
            case "none" -> NONE;
            case "kubernetes" -> KUBERNETES;
            default ->
                throw new IllegalArgumentException("MOLECULE_BACKEND must be process, docker, kubernetes or none");
        };
    }
}
