package ai.molecule.system.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** That every file is somebody's, and every folder that is named is there. */
final class FileChecks {

    private FileChecks() {}

    static List<String> of(Path folder) throws IOException {
        var complaints = new ArrayList<String>();
        var kustomization = Kustomization.read(folder);
        var named = new TreeSet<String>(List.of(Kustomization.FILE));
        Stream.concat(
                        kustomization.resources().stream(),
                        kustomization.patchList().stream().map(Kustomization.Patch::path))
                .forEach(name -> {
                    if (!Files.exists(folder.resolve(name))) {
                        complaints.add("%s is named and not there".formatted(name));
                    }
                    if (!named.add(name)) {
                        complaints.add("%s is named twice".formatted(name));
                    }
                });
        try (var there = Files.list(folder)) {
            there.map(file -> file.getFileName().toString())
                    .filter(name -> !named.contains(name))
                    .forEach(name -> complaints.add("%s is there and named nowhere".formatted(name)));
        }
        return complaints;
    }
}
