/* SPDX-License-Identifier: Apache-2.0
 *
 * train.c - `ansatz train`: from a problem file to a model file, by meta-training on physics alone.
 *
 * The checkpoint stands beside the model while the run lasts. It is written every so many steps and when the run
 * is interrupted, and goes when the model is finished. Only a finished run writes the model: at its path there may
 * be a better one of an earlier run.
 */
#include "train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fellows.h"
#include "interrupt.h"
#include "lock.h"
#include "output.h"
#include "problem_file.h"
#include "progress.h"
#include "shard.h"
#include "unseen.h"

/* ---- Begin or resume --------------------------------------------------------------------------------- */

static bool read_options(const arguments *arguments, ans_training_options *options) {
  long rounds = 0, steps = 0;
  if (!option_integer(arguments, "rounds", 1, 16, &rounds) ||
      !option_integer(arguments, "steps", 1, 1000000000, &steps) ||
      !option_number(arguments, "rate", 1e-12, 1e3, &options->rate))
    return false;
  const char *kind = option_value(arguments, "descriptor");
  if (rounds && kind && strcmp(kind, "graph") != 0) {
    complain("--rounds has no effect with --descriptor %s: only the graph passes messages", kind);
    return false;
  }
  static const int bits[] = {0, 32, 64}; /* 0: not given, so that a checkpoint may have either */
  options->descriptor = kind;
  options->rounds = (int)rounds;
  options->steps = steps;
  options->precision = bits[option_choice(arguments, "precision") + 1];
  options->seed = arguments->seed;
  options->threads = arguments->threads;
  return true;
}

/* A checkpoint continues its own problem and settings only: what differs, or NULL. */
static const char *difference(const ans_training_options *options, const ans_model *model, ans_progress now,
                              bool same_problem) {
  ans_model_info info = ans_model_information(model);
  double first_rate = ldexp(now.rate, now.rollbacks); /* each has halved it */
  if (!same_problem) return "problem";
  if (options->descriptor && strcmp(options->descriptor, info.descriptor) != 0) return "descriptor";
  if (options->rounds && options->rounds != info.rounds) return "number of rounds";
  if (options->precision && options->precision != info.precision) return "precision";
  if (options->seed != info.seed) return "seed";
  if (options->rate > 0 && options->rate != first_rate) return "rate";
  return NULL;
}

static ans_status compare(ans_context *context, const trained *trained, const ans_training_options *options,
                          const char **what) {
  char *mine = NULL, *theirs = NULL;
  ans_model *model = NULL;
  ans_status status = ans_problem_print(context, trained->problem, &mine);
  if (status == ANS_OK) status = ans_training_model(context, trained->training, &model);
  if (status == ANS_OK) status = ans_problem_print(context, ans_model_problem(model), &theirs);
  if (status == ANS_OK)
    *what = difference(options, model, ans_training_state(trained->training), strcmp(mine, theirs) == 0);
  ans_model_free(model);
  ans_free(mine);
  ans_free(theirs);
  return status;
}

static int resume(ans_context *context, trained *trained, const ans_training_options *options) {
  ans_status status = ans_training_resume(context, trained->checkpoint, options->threads, &trained->training);
  if (status != ANS_OK) return report_failure(context, status);
  const char *what = NULL;
  status = compare(context, trained, options, &what);
  if (status != ANS_OK) return report_failure(context, status);
  if (what) {
    complain("%s was started with another %s; use the same command, or remove it to start over", trained->checkpoint,
             what);
    return exit_code(ANS_MODEL);
  }
  trained->first = ans_training_state(trained->training).step;
  if (options->steps > 0 && options->steps < trained->first) {
    complain("%s has already done %ld steps, more than --steps %ld; ask for more, or remove it to start over",
             trained->checkpoint, trained->first, options->steps);
    return EXIT_USAGE;
  }
  if (options->steps > 0) ans_training_plan(trained->training, options->steps);
  return EXIT_OK;
}

static void remark_unseen(const trained *trained, const char *kind) {
  char text[1024];
  if (!trained->arguments->quiet && unseen_text(trained->problem, kind, text, sizeof text)) remark("%s", text);
}

static int begin(ans_context *context, trained *trained, const ans_training_options *options) {
  bool wanted = option_value(trained->arguments, "resume") != NULL, there = access(trained->checkpoint, F_OK) == 0;
  if (wanted && there) return resume(context, trained, options);
  if (wanted && !trained->arguments->quiet)
    remark("there is no %s to resume; training begins at step 1", trained->checkpoint);
  if (!wanted && there && !option_value(trained->arguments, "describe")) {
    complain("%s from another run exists: continue it with --resume, or remove it to start over", trained->checkpoint);
    return EXIT_USAGE;
  }
  remark_unseen(trained, options->descriptor ? options->descriptor : "graph");
  ans_status status = ans_training_begin(context, trained->problem, options, &trained->training);
  if (status != ANS_OK) return report_failure(context, status);
  return EXIT_OK;
}

/* ---- Run --------------------------------------------------------------------------------------------- */

/* A checkpoint that cannot be written costs no step: it is reported once, and the next one may succeed. */
static void write_checkpoint(ans_context *context, trained *trained, progress *bar) {
  ans_status status = ans_training_save(context, trained->training, trained->checkpoint);
  if (status == ANS_OK || trained->checkpoint_failed) return;
  trained->checkpoint_failed = true;
  progress_clear(bar);
  (void)report_failure(context, status);
  if (!trained->arguments->quiet) remark("training continues and will try again at the next checkpoint");
}

/* Of several processes one writes and tells. */
static bool speaks(const trained *trained) { return trained->fellows.rank == 0; }

/* What looks on while the training runs. */
typedef struct onlooker {
  ans_context *context;
  trained *trained;
  long checkpoint_every;
  progress *bar;
} onlooker;

static bool look_on(void *data, ans_progress now) {
  onlooker *onlooker = data;
  if (fellows_largest(onlooker->trained->fellows.count > 1 && interrupted())) return false; /* all end at one step */
  if (!speaks(onlooker->trained)) return true;
  progress_update(onlooker->bar, now.step, now.loss);
  train_log(onlooker->trained);
  if (now.step % onlooker->checkpoint_every == 0 && now.step < now.steps)
    write_checkpoint(onlooker->context, onlooker->trained, onlooker->bar);
  return true;
}

static ans_status run_to_the_end(ans_context *context, trained *trained, long checkpoint_every, progress *bar) {
  onlooker onlooker = {context, trained, checkpoint_every, bar};
  ans_run_rules rules = ANS_RUN_RULES_DEFAULT;
  rules.every = 1;
  rules.interrupt = trained->fellows.count > 1 ? NULL : interrupt_flag();
  return ans_training_run(context, trained->training, &rules, look_on, &onlooker);
}

/* After the model could not be written: from a checkpoint --resume can try again. In a context of its own, because the
 * caller's holds the failure that will be told. */
static void keep_steps(const trained *trained) {
  ans_context *context;
  if (ans_context_new(&context) != ANS_OK) return;
  if (ans_training_save(context, trained->training, trained->checkpoint) == ANS_OK && !trained->arguments->quiet)
    remark("all steps are done and kept in %s; the same command with --resume writes the model", trained->checkpoint);
  ans_context_free(context);
}

/* The model, or what is needed to go on. */
static ans_status finish(ans_context *context, trained *trained) {
  ans_progress now = ans_training_state(trained->training);
  const char *figure = option_value(trained->arguments, "figure");
  ans_status status = ans_training_model(context, trained->training, &trained->model);
  trained->complete = now.step >= now.steps;
  if (!speaks(trained)) return status;
  if (status == ANS_OK && !trained->complete) return ans_training_save(context, trained->training, trained->checkpoint);
  if (status != ANS_OK) return status;
  status = ans_model_write(context, trained->model, trained->output);
  if (status == ANS_OK)
    unlink(trained->checkpoint);
  else
    keep_steps(trained);
  if (status == ANS_OK && figure) status = train_figure(context, trained, figure);
  return status;
}

static int train(ans_context *context, trained *trained) {
  long checkpoint_every = 500;
  if (!option_integer(trained->arguments, "checkpoint", 1, 1000000000, &checkpoint_every)) return EXIT_USAGE;
  if (speaks(trained) && !train_log_open(trained, option_value(trained->arguments, "log"))) return EXIT_FILE;
  progress bar;
  interrupt_begin();
  progress_begin(&bar, "train", trained->first, ans_training_state(trained->training).steps,
                 trained->arguments->quiet || !speaks(trained));
  trained->begun = monotonic_seconds();
  ans_status status = run_to_the_end(context, trained, checkpoint_every, &bar);
  trained->seconds = monotonic_seconds() - trained->begun;
  progress_end(&bar);
  if (status == ANS_OK) status = finish(context, trained);
  if (status != ANS_OK) return speaks(trained) ? report_failure(context, status) : exit_code(status);
  if (!speaks(trained)) return trained->complete ? EXIT_OK : interrupt_code();
  size_t count;
  const double *losses = ans_training_losses(trained->training, &count);
  if (!trained->arguments->quiet) remark_each_loss(losses, count);
  int code = train_report(trained);
  if (trained->complete) return code;
  if (!trained->arguments->quiet)
    remark("interrupted: %s is not written; the same command with --resume continues from %s", trained->output,
           trained->checkpoint);
  return interrupt_code();
}

static int describe(ans_context *context, trained *trained) {
  ans_status status = ans_training_model(context, trained->training, &trained->model);
  if (status != ANS_OK) return report_failure(context, status);
  return train_describe(trained);
}

/* ---- The command ------------------------------------------------------------------------------------- */

/* All that can fail before the first step. */
static int prepare(ans_context *context, trained *trained, output_lock *lock) {
  ans_training_options options = {0};
  bool only_describe = option_value(trained->arguments, "describe") != NULL;
  if (!read_options(trained->arguments, &options)) return EXIT_USAGE;
  if (!trained->output && !only_describe) {
    complain("train needs --output MODEL: the model file to write");
    return EXIT_USAGE;
  }
  int code = only_describe ? EXIT_OK : option_file_and(trained->arguments, "output", NULL, TRAIN_CHECKPOINT);
  if (code == EXIT_OK) code = option_file(trained->arguments, "figure", FIGURE_FORMATS);
  if (code != EXIT_OK) return code;
  if (trained->output)
    snprintf(trained->checkpoint, sizeof trained->checkpoint, "%s" TRAIN_CHECKPOINT, trained->output);
  if (trained->output && !option_files_differ(trained->arguments, "the checkpoint", trained->checkpoint))
    return EXIT_USAGE;
  if (!only_describe && speaks(trained)) code = output_lock_take(trained->output, lock);
  if (code != EXIT_OK) return code;
  ans_status status = problem_open(context, trained->file, &trained->problem);
  if (status != ANS_OK) return report_failure(context, status);
  return begin(context, trained, &options);
}

/* Processes that mpirun started together train one model, unless each has seeds of its own. */
static int join(trained *trained) {
  bool apart = option_value(trained->arguments, "shard") || option_value(trained->arguments, "describe");
  return fellows_here().count > 1 && !apart ? fellows_join(&trained->fellows) : EXIT_OK;
}

static int run_with(ans_context *context, trained *trained, output_lock *lock) {
  int code = join(trained);
  if (code != EXIT_OK) return code;
  code = prepare(context, trained, lock);
  int worst = fellows_largest(code); /* one that cannot begin keeps all others from it */
  if (worst != EXIT_OK) return worst;
  if (option_value(trained->arguments, "describe")) return describe(context, trained);
  if (trained->fellows.count > 1) ans_training_share(trained->training, &trained->fellows);
  return train(context, trained);
}

static int run_one(const arguments *arguments) {
  ans_context *context;
  if (ans_context_new(&context) != ANS_OK) {
    complain("memory is exhausted");
    return EXIT_MEMORY;
  }
  trained trained = {
      .arguments = arguments, .file = arguments->operands[0], .output = option_value(arguments, "output")};
  output_lock lock = {.descriptor = -1};
  int code = run_with(context, &trained, &lock);
  int logged = train_log_close(&trained);
  output_lock_drop(&lock);
  ans_model_free(trained.model);
  ans_training_free(trained.training);
  ans_problem_free(trained.problem);
  ans_context_free(context);
  return code != EXIT_OK ? code : logged;
}

static int run_train(const arguments *arguments) {
  return option_value(arguments, "seeds") ? train_seeds(arguments, run_one) : run_one(arguments);
}

const command train_command = {
    .name = "train",
    .operands = "FILE",
    .summary = "train a model on a family of equations",
    .description = "Meta-trains a hypernetwork and a shared network on the equations of a problem file, without "
                   "solution data: every step draws one equation of each structure that is not held back, with fresh "
                   "points. The result is one model file for `ansatz solve` to start from. During the run a "
                   "checkpoint is kept beside it (MODEL.checkpoint). After Ctrl-C or a crash, --resume continues from "
                   "the checkpoint, with the same bits as an uninterrupted run. The model is written when all steps "
                   "are done; an existing file of that name is left alone until then.",
    .options =
        (const option[]){
            {"output", 'o', "PATH", "the model file to write (.safetensors)"},
            {"descriptor", 0, "graph|set|ownership|vector|presence|dictionary",
             "what the hypernetwork reads (default graph)"},
            {"rounds", 0, "K", "rounds of message passing, 1 to 16 (default: the file's)"},
            {"steps", 0, "N", "meta-training steps (default: the file's)"},
            {"rate", 0, "R", "learning rate (default: the file's)"},
            {"precision", 0, "32|64", "bits of a number (default 32)"},
            {"seeds", 0, "LIST",
             "train one model for each of these seeds, separated by commas; output paths must contain {seed}"},
            {"shard", 0, "K/N", "with --seeds: " SHARD_HELP},
            {"resume", 0, NULL, "continue from the checkpoint if there is one; with --seeds, skip those that are done"},
            {"checkpoint", 0, "N", "steps between checkpoints (default 500)"},
            {"log", 0, "PATH", "write step, loss and rate as JSON lines"},
            {"figure", 0, "PATH", "draw the loss curve (.svg, .pdf or .png)"},
            {"describe", 0, NULL, "print the table of tensors and parameters, then exit"},
            {0},
        },
    .rules = (const option_rule[]){{"describe", NULL, "log|figure|checkpoint"},
                                   {"resume", "output", NULL},
                                   {"seeds", NULL, "describe"},
                                   {"shard", "seeds", NULL},
                                   {0}},
    .examples =
        (const example[]){
            {"train families/fisher.pde -o fisher.safetensors", "train the graph model of the family"},
            {"train families/fisher.pde -o k5.safetensors --rounds 5 --log k5.jsonl --figure k5.svg",
             "five rounds of message passing, with a log and a loss curve"},
            {"train families/cdr.pde -o cdr.safetensors --resume", "continue an interrupted run"},
            {"train families/fisher.pde -o m-{seed}.safetensors --seeds 101,102,103 --shard auto --resume",
             "in every job of an array: its share of the seeds"},
            {"train families/fisher.pde --describe", "what a model would consist of"},
            {0}},
    .run = run_train,
};
