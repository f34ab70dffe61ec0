# SPDX-License-Identifier: GPL-2.0-or-later
#
# zed.pyi names exactly what the module has, with the parameters that its documentation names.  Without it an editor
# offers what is not there, or hides what is.
# of: interp/python
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Cwd ();
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();

my $check = <<'E';
import ast, builtins, inspect, os, sys, types
import zed

tree = ast.parse(open(os.environ["STUBS"]).read())

def public(names):
    return {n for n in names if not n.startswith("_") or n == "__version__"}

def declared(body):
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, node)
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
    return found

def differ(what, stubs, there):
    for name in sorted(stubs - there):
        print(what, "has no", name, "which zed.pyi has")
    for name in sorted(there - stubs):
        print(what, "has", name, "which zed.pyi has not")

def documented(what, o, node):
    doc = (getattr(o, "__doc__", None) or "") + (getattr(o, "__text_signature__", None) or "")
    if not doc.strip():
        print(what, "has no documentation")
    elif isinstance(node, ast.FunctionDef):
        a = node.args
        for p in a.posonlyargs + a.args + a.kwonlyargs:
            if p.arg not in ("self",) and p.arg not in doc:
                print(what, "is not documented to take", p.arg)

top = declared(tree.body)
differ("zed", public(top), public(dir(zed)) - {"trace"} | ({"trace"} & set(top)))
for name, node in sorted(top.items()):
    o = getattr(zed, name, None)
    if o is None or name.startswith("_") or name == "trace":
        continue
    if isinstance(o, types.ModuleType):
        print("zed shows the module", name)
    elif isinstance(node, ast.ClassDef):
        members = declared(node.body)
        base = set().union(*(dir(b) for b in o.__bases__))
        differ("zed." + name, public(members), public(set(dir(o)) - (base - set(vars(o)))) | public(members) & set(dir(o)) | {n for n in members if n in getattr(o, "__annotations__", {})})
        for member, m in members.items():
            if member.startswith("__") and not hasattr(o, member):
                print("zed." + name, "has no", member)
            if not member.startswith("_") and hasattr(o, member) and not issubclass(o, Exception):
                documented("zed.%s.%s" % (name, member), getattr(o, member), m)
    elif isinstance(node, ast.FunctionDef):
        documented("zed." + name, o, node)
        if not callable(o):
            print("zed." + name, "cannot be called")
print("checked", len(top))
E

# The module is the same in both: zedpython has the open trace as well.
my %o = (env => { STUBS => Cwd::abs_path('interp/python/zed.pyi') });
my $r = zedpython(\%o, trace(), \"$check\nsys.exit(0)\n");
like($r->{out}, qr/\Achecked \d+\n\z/, 'in zedpython') or diag substr $r->{err}, 0, 1000;
SKIP: {
	skip extension_missing(), 2 if extension_missing();
	$r = python(\%o, \$check);
	like($r->{out}, qr/\Achecked \d+\n\z/, 'in python3') or diag substr $r->{err}, 0, 1000;
	$r = python('-c', 'import pydoc, zed; print(len(pydoc.render_doc(zed)) > 5000)');
	is($r->{out}, "True\n", 'help(zed) has it all') or diag $r->{err};
}

done_testing();
