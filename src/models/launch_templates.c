/* Templates that start processes on a cluster: Kubernetes (docs.vllm.ai/en/latest/deployment/k8s, "Using Kubernetes") and Slurm
 * (slurm.schedmd.com/sbatch.html, slurm.schedmd.com/heterogeneous_jobs.html). */
#include <string.h>

#include "models/launch.h"

static const char *resource(const roof_machine *machine) {
  return strcmp(machine->vendor, "AMD") == 0     ? "amd.com/gpu"
         : strcmp(machine->vendor, "Intel") == 0 ? "gpu.intel.com/xe"
                                                 : "nvidia.com/gpu";
}

/** A list of YAML of the words of the command. */
static void add_arguments(roof_text *out, const char *command) {
  for (const char *word = command; *word != '\0';) {
    size_t length = strcspn(word, " ");
    roof_text_addf(out, "        - \"%.*s\"\n", (int)length, word);
    word += length + (word[length] == ' ');
  }
}

/** "NAME=$(hostname -i)": the name, set to the pod's address. */
static void add_address(roof_text *out, const char *before) {
  roof_text_addf(out,
                 "        env:\n        - name: %.*s\n          valueFrom:\n            fieldRef:\n"
                 "              fieldPath: status.podIP\n",
                 (int)strcspn(before, "="), before);
}

void rf_launch_kubernetes(roof_text *out, const launch_piece *p) {
  bool amd = strcmp(p->machine->vendor, "AMD") == 0;
  roof_text_addf(out,
                 "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: %s\nspec:\n  replicas: %.0f\n"
                 "  selector:\n    matchLabels:\n      app: %s\n  template:\n    metadata:\n      labels:\n"
                 "        app: %s\n    spec:\n      volumes:\n      - name: shm\n        emptyDir:\n"
                 "          medium: Memory\n      containers:\n      - name: vllm\n        image: %s\n       "
                 " command:\n",
                 p->name, p->copies, p->name, p->name, amd ? "rocm/vllm" : "vllm/vllm-openai");
  add_arguments(out, p->command);
  if (p->before != NULL) {
    add_address(out, p->before);
  }
  roof_text_addf(
      out,
      "        ports:\n        - containerPort: 8000\n        resources:\n          limits:\n"
      "            %s: \"%.0f\"\n        volumeMounts:\n        - name: shm\n          mountPath: /dev/shm\n",
      resource(p->machine), p->devices);
  roof_text_addf(
      out,
      "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: %s\nspec:\n  selector:\n    app: %s\n"
      "  ports:\n  - port: 80\n    targetPort: 8000\n",
      p->name, p->name);
}

/** The command over several lines, none of them wide: in quotes a backslash at its end goes on too, for the shell that runs it. */
static void add_broken(roof_text *out, const char *command) {
  enum { WIDTH = 76 };
  size_t column = WIDTH;
  for (const char *word = command; *word != '\0';) {
    const char *next = strstr(word + 1, " --");
    size_t length = next != NULL ? (size_t)(next - word) : strlen(word);
    if (column + length > WIDTH) {
      roof_text_add(out, column < WIDTH ? " \\\n   " : "\\\n   ");
      column = 3;
    }
    roof_text_addf(out, "%s%.*s", *word == ' ' ? "" : " ", (int)length, word);
    column += length + (*word == ' ' ? 0 : 1);
    word += length;
  }
}

void rf_launch_slurm(roof_text *out, const launch_piece *pieces, int count) {
  roof_text_addf(out, "#!/bin/bash\n#SBATCH --job-name=%s\n", pieces[0].name);
  for (int i = 0; i < count; i++) {
    roof_text_addf(out, "%s#SBATCH --ntasks=%.0f\n#SBATCH --gpus-per-task=%.0f\n",
                   i > 0 ? "#SBATCH hetjob\n" : "", pieces[i].copies, pieces[i].devices);
  }
  roof_text_add(out, "\n");
  for (int i = 0; i < count; i++) {
    roof_text_add(out, "srun ");
    if (count > 1) {
      roof_text_addf(out, "--het-group=%d ", i);
    }
    roof_text_add(out, "bash -c '");
    if (pieces[i].before != NULL) {
      roof_text_addf(out, "\\\n    %s ", pieces[i].before);
    }
    add_broken(out, pieces[i].command);
    roof_text_addf(out, " \\\n    --port $((8000 + SLURM_PROCID))'%s\n", count > 1 ? " &" : "");
  }
  roof_text_add(out, count > 1 ? "wait\n" : "");
}
