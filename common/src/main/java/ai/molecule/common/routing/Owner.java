package ai.molecule.common.routing;

/** The four services, as owners of paths. */
public enum Owner {
    REGISTRY,
    PROXY,
    EVENTS,
    PROVISIONER
}
