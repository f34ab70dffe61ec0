# SPDX-License-Identifier: GPL-2.0-or-later
#
# fish completion of zedperl, zedpython, zedprint and zedtrace; packaging/complete/candidates says what there is.

function __zed_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct | string unescape)
    set -l program (realpath (command -s $words[1]))
    set -l folder (string replace -r '/[^/]*$' '' -- $program)
    for helper in $folder/../share/zedperl/complete $folder/packaging/complete/candidates $folder/../../packaging/complete/candidates
        test -f $helper; or continue
        for line in (sh $helper $words[1] "$current" $words[2..-1] 2>/dev/null)
            switch $line
                case @files
                    __fish_complete_path "$current"
                case @command
                    __fish_complete_command
                case @nospace
                case '*'
                    printf '%s\n' $line
            end
        end
        return
    end
end

for program in zedperl zedpython zedprint zedtrace
    complete -c $program -f -a '(__zed_candidates)'
end
