package ai.molecule.cli.demo;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * Three agents for the user's own folder: they read all of it and write in {@value #OUTPUT} alone, which their tools hold them to. Without a
 * model of the user's they are recorded, so no key is needed and the report is the same each time.
 */
public final class FolderOrganisation {

    /** Of the user's folder. */
    public static final String OUTPUT = "molecule-out";

    private static final String RECORDED = "recorded:recording.txt";
    private static final String LEAD = "Folder Lead";
    private static final List<String> FILES = List.of(
            "org.yaml",
            "lead/config.yaml",
            "lead/recording.txt",
            "lead/system-prompt.md",
            "reader/config.yaml",
            "reader/recording.txt",
            "reader/system-prompt.md",
            "writer/config.yaml",
            "writer/recording.txt",
            "writer/system-prompt.md");

    private final Path folder;
    private final String model;

    private FolderOrganisation(Path folder, String model) {
        this.folder = folder;
        this.model = model;
    }

    /**
     * Makes the folder for what they write, before anything is started.
     *
     * @param model {@code provider:model}; empty for a recorded one
     * @param shared whether agents have users of their own, who must be let in
     */
    public static FolderOrganisation in(Path folder, String model, boolean shared) {
        if (!model.isEmpty() && !model.matches("[A-Za-z0-9._:/@-]{1,200}")) {
            throw LaunchFailure.usersTurn("--model " + model + " is no model, such as openai:gpt-4o.");
        }
        if (!Files.isDirectory(folder)) {
            throw LaunchFailure.usersTurn("--folder " + folder + " is no folder of this machine.");
        }
        try {
            Path real = folder.toRealPath();
            Path output = real.resolve(OUTPUT);
            try {
                Files.createDirectory(output);
                if (shared) {
                    Files.setPosixFilePermissions(output, PosixFilePermissions.fromString("rwxrwxrwx"));
                }
            } catch (FileAlreadyExistsException before) {
                if (!Files.isDirectory(output, LinkOption.NOFOLLOW_LINKS)) {
                    throw LaunchFailure.usersTurn(output + " is where agents write, and it is no folder; move it.");
                }
            }
            return new FolderOrganisation(real, model.isEmpty() ? RECORDED : model);
        } catch (IOException e) {
            throw LaunchFailure.usersTurn("--folder " + folder + " cannot be used: " + e.getMessage());
        }
    }

    /** Makes the organisation on a platform without one, and says what to ask. Never throws: the platform runs without it. */
    public void show(PlatformApi api, Console console) {
        try {
            var present = api.agents();
            if (present.stream().noneMatch(agent -> agent.name().equals(LEAD))) {
                if (!present.isEmpty()) {
                    console.say("there are agents already, so none are made for " + folder
                            + "; --data <new folder> begins a platform of its own");
                    return;
                }
                var answer = api.importOrganisation(new JsonObject().put("files", files()));
                if (answer.status() != 201) {
                    throw new IOException("POST /org/import answered %d %s".formatted(answer.status(), answer.body()));
                }
            }
            console.say("three agents read " + folder + " and write in " + OUTPUT + " there"
                    + (model.equals(RECORDED)
                            ? "; no key needed: what their model says is recorded, the rest is real"
                            : ""));
            console.say("try: ./molecule say \"" + LEAD + "\" \"What is in this folder?\"");
        } catch (IOException e) {
            console.say("the agents for " + folder + " could not be made: " + e.getMessage());
        }
    }

    private JsonObject files() throws IOException {
        var files = new JsonObject();
        for (String name : FILES) {
            try (var in = FolderOrganisation.class.getResourceAsStream("/ai/molecule/cli/folder/" + name)) {
                if (in == null) {
                    throw new IOException("resource is missing: " + name);
                }
                files.put(
                        name,
                        new String(in.readAllBytes(), StandardCharsets.UTF_8)
                                .replace("@MODEL@", model)
                                .replace(
                                        "@FOLDER@",
                                        folder.toString().replace("\\", "\\\\").replace("\"", "\\\"")));
            }
        }
        return files;
    }
}
