package ai.molecule.common.bus;

/** Something published to every listener, at most once, possibly lost. A reader that must not miss it also reads the store. */
public record Hint<H extends Record>(String address, Class<H> body) {}
