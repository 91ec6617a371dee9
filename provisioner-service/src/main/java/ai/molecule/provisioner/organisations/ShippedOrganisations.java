package ai.molecule.provisioner.organisations;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The example organisations that come with the platform, among its resources. */
public final class ShippedOrganisations {

    private static final String FOLDER = "/organisations/";
    private static final String INDEX = "index.txt";

    private ShippedOrganisations() {}

    /** Lays them into a folder, beside the schema of this version. An organisation that is there already, edited perhaps, is left alone. */
    public static void copyTo(Path folder) throws IOException {
        Files.createDirectories(folder);
        Set<String> present = new HashSet<>();
        for (String name : files()) {
            int slash = name.indexOf('/');
            if (slash > 0 && Files.exists(folder.resolve(name.substring(0, slash)))) {
                present.add(name.substring(0, slash));
            }
        }
        for (String name : files()) {
            int slash = name.indexOf('/');
            if (slash < 0 || !present.contains(name.substring(0, slash))) {
                copy(name, folder.resolve(name));
            }
        }
    }

    private static void copy(String name, Path target) throws IOException {
        Files.createDirectories(target.getParent());
        try (var content = open(name)) {
            Files.copy(content, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static List<String> files() throws IOException {
        try (var index = open(INDEX)) {
            return new String(index.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    private static InputStream open(String name) {
        var resource = ShippedOrganisations.class.getResourceAsStream(FOLDER + name);
        if (resource == null) {
            throw new IllegalStateException(FOLDER + name + " is missing");
        }
        return resource;
    }
}
