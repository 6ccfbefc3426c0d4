/* ELF, 64 bits, little endian, with what relocates .debug_line: the function that a sequence of lines is of. DWARF 4, 6.2. */
#include "import/_cubin.h"

#include <stdlib.h>
#include <string.h>

enum {
  ELF_HEADER = 64,
  SECTION = 64,
  SYMBOL = 24,
  REL = 9,
  RELA = 4,
  /* opcodes of lines, extended ones with 0 before them */
  COPY = 1,
  ADVANCE_PC = 2,
  ADVANCE_LINE = 3,
  SET_FILE = 4,
  CONST_ADD_PC = 8,
  FIXED_ADVANCE_PC = 9,
  END_SEQUENCE = 1,
  SET_ADDRESS = 2
};

/** A section of the binary. */
typedef struct section {
  uint32_t name, type, link, info;
  proto bytes;
} section;

typedef struct binary {
  proto whole, sections, names;
} binary;

/** A unit of .debug_line, and where its program is. */
typedef struct unit {
  proto program, folders, files;
  const unsigned char *lengths; /* of standard opcodes' operands */
  uint32_t step, range, opcodes;
  int base;
} unit;

/** What reads the programs. */
typedef struct reader {
  binary elf;
  section lines, moves; /* .debug_line and what relocates it */
  const char *function;
  cubin_lines *to;
} reader;

/** The state of a program. */
typedef struct state {
  uint64_t address, file;
  int64_t line;
  bool mine; /* the sequence is of the function asked for */
} state;

/** A number of `size` bytes, the lowest first; 0 beyond the end, which is then reached. */
static uint64_t take(proto *from, size_t size) {
  uint64_t value = 0;
  if ((size_t)(from->end - from->at) < size) {
    from->at = from->end;
    return 0;
  }
  for (size_t i = 0; i < size; i++) {
    value |= (uint64_t)from->at[i] << 8 * i;
  }
  from->at += size;
  return value;
}

/** LEB128; the sign of its last byte is extended where it is signed. */
static uint64_t take_leb(proto *from, bool is_signed) {
  uint64_t value = 0, byte = 0x80;
  unsigned shift = 0;
  while ((byte & 0x80) != 0 && from->at < from->end) {
    byte = *from->at++;
    value |= shift < 64 ? (byte & 0x7F) << shift : 0;
    shift += 7;
  }
  return is_signed && shift < 64 && (byte & 0x40) != 0 ? value | ~(uint64_t)0 << shift : value;
}

static proto part(proto of, uint64_t offset, uint64_t size) {
  uint64_t all = (uint64_t)(of.end - of.at);
  return offset <= all && size <= all - offset ? (proto){of.at + offset, of.at + offset + size}
                                               : (proto){of.end, of.end};
}

static void skip(proto *from, uint64_t size) {
  from->at = part(*from, size, 0).at;
}

/** The text at `offset`, "" where none ends there. */
static const char *text_at(proto in, uint64_t offset) {
  proto rest = part(in, offset, 0);
  const char *text = (const char *)rest.at;
  return rest.at < in.end && memchr(text, '\0', (size_t)(in.end - rest.at)) != NULL ? text : "";
}

static bool section_at(const binary *elf, uint32_t index, section *found) {
  proto at = part(elf->sections, (uint64_t)index * SECTION, SECTION);
  if (at.at == at.end) {
    return false;
  }
  found->name = (uint32_t)take(&at, 4);
  found->type = (uint32_t)take(&at, 4);
  skip(&at, 16); /* flags and address */
  uint64_t offset = take(&at, 8), size = take(&at, 8);
  found->link = (uint32_t)take(&at, 4);
  found->info = (uint32_t)take(&at, 4);
  found->bytes = part(elf->whole, offset, size);
  return true;
}

static bool open_binary(proto cubin, binary *elf) {
  section names;
  proto header = part(cubin, 0, ELF_HEADER);
  if (header.at == header.end || memcmp(header.at,
                                        "\x7F"
                                        "ELF\x02\x01",
                                        6) != 0) {
    return false;
  }
  skip(&header, 40);
  uint64_t offset = take(&header, 8);
  skip(&header, 10);
  uint64_t size = take(&header, 2), count = take(&header, 2), index = take(&header, 2);
  *elf = (binary){.whole = cubin, .sections = part(cubin, offset, count * SECTION)};
  bool known = size == SECTION && section_at(elf, (uint32_t)index, &names);
  elf->names = known ? names.bytes : (proto){cubin.end, cubin.end};
  return known;
}

/** The lines, and what relocates them. */
static bool find_lines(reader *r) {
  section at;
  uint32_t lines = 0;
  for (uint32_t i = 1; section_at(&r->elf, i, &at); i++) {
    if (strcmp(text_at(r->elf.names, at.name), ".debug_line") == 0) {
      r->lines = at;
      lines = i;
    }
  }
  for (uint32_t i = 1; lines > 0 && section_at(&r->elf, i, &at); i++) {
    if ((at.type == REL || at.type == RELA) && at.info == lines) {
      r->moves = at;
      return true;
    }
  }
  return false;
}

/** Whether the symbol is in the code of the function asked for; *value is where. */
static bool is_function(const reader *r, uint64_t symbol, uint64_t *value) {
  static const char code[] = ".text.";
  section symbols, in;
  if (!section_at(&r->elf, r->moves.link, &symbols)) {
    return false;
  }
  proto at = part(symbols.bytes, symbol * SYMBOL, SYMBOL);
  skip(&at, 6); /* name, kind, visibility */
  uint32_t index = (uint32_t)take(&at, 2);
  *value = take(&at, 8);
  const char *name = section_at(&r->elf, index, &in) ? text_at(r->elf.names, in.name) : "";
  return strncmp(name, code, sizeof code - 1) == 0 && strcmp(name + sizeof code - 1, r->function) == 0;
}

/** The address at `offset` of the lines, where it is in the function asked for. */
static bool relocate(const reader *r, uint64_t offset, uint64_t *address) {
  proto left = r->moves.bytes;
  bool added = r->moves.type == RELA;
  while (left.at < left.end) {
    uint64_t place = take(&left, 8), symbol = take(&left, 8) >> 32, value = 0;
    uint64_t addend = added ? take(&left, 8) : *address;
    if (place == offset) {
      bool mine = is_function(r, symbol, &value);
      *address = value + addend;
      return mine;
    }
  }
  return false;
}

static void skip_text(proto *from) {
  const unsigned char *end = memchr(from->at, '\0', (size_t)(from->end - from->at));
  from->at = end != NULL ? end + 1 : from->end;
}

/** Skips texts up to an empty one, each with so many numbers behind it; they are what it passed. */
static proto take_table(proto *from, int numbers) {
  proto table = *from;
  while (from->at < from->end && *from->at != '\0') {
    skip_text(from);
    for (int i = 0; i < numbers; i++) {
      (void)take_leb(from, false);
    }
  }
  table.end = from->at;
  from->at += from->at < from->end;
  return table;
}

/** A file's name and the number of its folder, from 1; "" where there is none. */
static const char *entry_of(proto table, uint64_t number, int numbers, uint64_t *folder) {
  for (uint64_t i = 1; table.at < table.end; i++) {
    const char *name = (const char *)table.at;
    skip_text(&table);
    uint64_t first = numbers > 0 ? take_leb(&table, false) : 0;
    for (int k = 1; k < numbers; k++) {
      (void)take_leb(&table, false);
    }
    if (i == number) {
      *folder = first;
      return name;
    }
  }
  return "";
}

static bool add_row(reader *r, const unit *u, const state *s, bool ended) {
  cubin_lines *to = r->to;
  uint64_t folder = 0, none = 0;
  if (!s->mine) {
    return true;
  }
  if (to->count == to->room) {
    size_t room = to->room * 2 + 64;
    cubin_row *more = realloc(to->rows, room * sizeof *more);
    if (more == NULL) {
      return false;
    }
    to->rows = more;
    to->room = room;
  }
  const char *file = ended ? "" : entry_of(u->files, s->file, 3, &folder);
  bool known = file[0] != '\0' && s->line > 0 && s->line < INT32_MAX;
  to->rows[to->count] = (cubin_row){.offset = s->address,
                                    .line = known ? (uint32_t)s->line : 0,
                                    .order = (uint32_t)to->count,
                                    .file = file,
                                    .folder = entry_of(u->folders, folder, 0, &none)};
  to->count++;
  return true;
}

static bool take_extended(reader *r, const unit *u, proto *program, state *s) {
  uint64_t size = take_leb(program, false);
  proto operand = part(*program, 0, size);
  bool good = true;
  if (operand.at == operand.end) {
    program->at = program->end;
    return true;
  }
  program->at = operand.end;
  uint64_t code = take(&operand, 1);
  if (code == END_SEQUENCE) {
    good = add_row(r, u, s, true);
    *s = (state){.file = 1, .line = 1};
  } else if (code == SET_ADDRESS) {
    uint64_t offset = (uint64_t)(operand.at - r->lines.bytes.at);
    s->address = take(&operand, (size_t)(size - 1 < 8 ? size - 1 : 8));
    s->mine = relocate(r, offset, &s->address);
  }
  return good;
}

/** A standard opcode that makes no row. */
static void take_standard(const unit *u, proto *program, uint64_t code, state *s) {
  if (code == ADVANCE_PC) {
    s->address += take_leb(program, false) * u->step;
  } else if (code == ADVANCE_LINE) {
    s->line = (int64_t)((uint64_t)s->line + take_leb(program, true));
  } else if (code == SET_FILE) {
    s->file = take_leb(program, false);
  } else if (code == CONST_ADD_PC) {
    s->address += (255 - u->opcodes) / u->range * (uint64_t)u->step;
  } else if (code == FIXED_ADVANCE_PC) {
    s->address += take(program, 2);
  } else {
    for (int i = 0; i < u->lengths[code - 1]; i++) {
      (void)take_leb(program, false);
    }
  }
}

static bool run_program(reader *r, const unit *u) {
  proto program = u->program;
  state s = {.file = 1, .line = 1};
  bool good = true;
  while (good && program.at < program.end) {
    uint64_t code = take(&program, 1);
    if (code >= u->opcodes) {
      uint64_t special = code - u->opcodes;
      s.address += special / u->range * u->step;
      s.line = (int64_t)((uint64_t)s.line + (uint64_t)(int64_t)u->base + special % u->range);
      good = add_row(r, u, &s, false);
    } else if (code == 0) {
      good = take_extended(r, u, &program, &s);
    } else if (code == COPY) {
      good = add_row(r, u, &s, false);
    } else {
      take_standard(u, &program, code, &s);
    }
  }
  return good;
}

/** Reads the next unit's head. False at the end, and where it is of a kind that is not read. */
static bool take_unit(proto *lines, unit *u) {
  uint64_t size = take(lines, 4);
  proto body = part(*lines, 0, size);
  if (body.at == body.end) {
    return false;
  }
  lines->at = body.end;
  uint64_t version = take(&body, 2), header = take(&body, 4);
  proto head = part(body, 0, header);
  *u = (unit){.program = {head.end, body.end}, .step = (uint32_t)take(&head, 1)};
  (void)take(&head, version >= 4 ? 2 : 1);
  u->base = (int8_t)take(&head, 1);
  u->range = (uint32_t)take(&head, 1);
  u->opcodes = (uint32_t)take(&head, 1);
  u->lengths = head.at;
  bool good = version >= 2 && version <= 4 && u->range > 0 && u->opcodes > 0 &&
              (size_t)(head.end - head.at) >= u->opcodes;
  if (good) {
    head.at += u->opcodes - 1;
    u->folders = take_table(&head, 0);
    u->files = take_table(&head, 3);
  } else {
    u->program.at = u->program.end;
  }
  return true;
}

/** Where a sequence ends another may begin: the end is before it. */
static int by_offset(const void *a, const void *b) {
  const cubin_row *x = a, *y = b;
  if (x->offset != y->offset) {
    return x->offset < y->offset ? -1 : 1;
  }
  return (x->line > 0) != (y->line > 0) ? (x->line > 0 ? 1 : -1)
         : x->order < y->order          ? -1
                                        : x->order > y->order;
}

bool rf_cubin_read(proto cubin, const char *function, cubin_lines *lines) {
  reader r = {.function = function, .to = lines};
  unit u;
  bool good = true;
  if (!open_binary(cubin, &r.elf) || !find_lines(&r)) {
    return true;
  }
  for (proto left = r.lines.bytes; good && take_unit(&left, &u);) {
    good = run_program(&r, &u);
  }
  if (lines->count > 0) {
    qsort(lines->rows, lines->count, sizeof *lines->rows, by_offset);
  }
  return good;
}

const cubin_row *rf_cubin_at(const cubin_lines *lines, uint64_t offset) {
  size_t low = 0, high = lines->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (lines->rows[middle].offset <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && lines->rows[low - 1].line > 0 ? &lines->rows[low - 1] : NULL;
}

void rf_cubin_done(cubin_lines *lines) {
  free(lines->rows);
  *lines = (cubin_lines){0};
}
