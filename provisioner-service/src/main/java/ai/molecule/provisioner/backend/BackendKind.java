package ai.molecule.provisioner.backend;

import org.jspecify.annotations.Nullable;

/** {@code MOLECULE_BACKEND}: what agents run in. */
public enum BackendKind {
    PROCESS,
    DOCKER,
    NONE;

    /** Fails with {@link IllegalArgumentException} and one sentence for a backend that cannot be had. */
    public static BackendKind of(@Nullable String value) {
        return switch (value == null ? "none" : value) {
            case "process" -> PROCESS;
            case "docker" -> DOCKER;
            case "none" -> NONE;
            case "kubernetes" ->
                throw new IllegalArgumentException(
                        "MOLECULE_BACKEND kubernetes is not available in this version; use process, docker or none");
            default -> throw new IllegalArgumentException("MOLECULE_BACKEND must be process, docker or none");
        };
    }
}
