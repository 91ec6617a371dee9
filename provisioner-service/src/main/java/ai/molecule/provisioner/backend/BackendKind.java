package ai.molecule.provisioner.backend;

import org.jspecify.annotations.Nullable;

/** {@code MOLECULE_BACKEND}: what agents run in. */
public enum BackendKind {
    PROCESS,
    NONE;

    /** Fails with {@link IllegalArgumentException} and one sentence for a backend that cannot be had. */
    public static BackendKind of(@Nullable String value) {
        return switch (value == null ? "none" : value) {
            case "process" -> PROCESS;
            case "none" -> NONE;
            case "docker", "kubernetes" ->
                throw new IllegalArgumentException(
                        "MOLECULE_BACKEND %s is not available in this version; use process or none".formatted(value));
            default -> throw new IllegalArgumentException("MOLECULE_BACKEND must be process or none");
        };
    }
}
