package ai.molecule.sdk.plugins;

/**
 * Something that is wrong with a file.
 *
 * <pre>{@code
 * complaints.forEach(complaint -> System.err.println(complaint.file() + ": " + complaint.message()));
 * }</pre>
 *
 * @param file as the caller named it, or within the plugin he named
 */
public record Complaint(String file, String message) {}
